import Cairn

/// A builder of objects that are valid to save. A test sets only the values that matter to it.
///
/// ```swift
/// let fixtures = FixtureBuilder(context)
/// let author = try fixtures.make(Author.self) { $0.name = "George Eliot" }
/// let books = try fixtures.make(Book.self, count: 3) { book, index in book.author = author }
/// ```
///
/// The closure configures the new object. Afterwards, the builder completes it:
///
/// - An attribute gets a value that the model's rules and the class's checks accept if it is required and
///   `nil`, or if its default value is refused. The value contains the number of the object among those of
///   its entity hierarchy: the second author has the name “name 2”.
/// - An attribute in a uniqueness constraint gets a value that no other object of the builder has, even if
///   that replaces a default value.
/// - A required to-one relationship without a destination gets a new object, which is completed in the same
///   way. New objects are never shared. To share an object, set the relationship in the closure.
/// - A to-many relationship gets the smallest number of new objects that it needs. An optional one stays
///   empty.
/// - If required relationships form a circle, one of the objects that are being created closes the circle. If
///   the inverses do not allow that, the builder throws.
///
/// A value that equals the default counts as not set. Everything else that the closure sets stays unchanged,
/// even if a save would refuse it. The values depend only on the model and the order of calls. They may equal
/// values of objects that the builder did not create, so give builders for the same store different first
/// numbers.
///
/// Use a builder only in turns of its context.
public final class FixtureBuilder {
    /// The context into which objects are inserted.
    public let context: ManagedObjectContext
    private let firstNumber: Int
    /// The number of objects that were created for each root entity.
    private var counts: [EntityNumber: Int] = [:]
    private var uniqueness = FixtureUniqueness()

    /// Creates a builder.
    ///
    /// - Parameters:
    ///   - context: The context into which objects are inserted.
    ///   - firstNumber: The number of the first object in each entity hierarchy. Values contain the numbers
    ///     of their objects.
    public init(_ context: ManagedObjectContext, firstNumber: Int = 1) {
        self.context = context
        self.firstNumber = firstNumber
    }

    /// Inserts an object of the entity with the given class, and completes the object.
    ///
    /// - Parameters:
    ///   - type: The class of the object, which determines its entity.
    ///   - configure: Sets the values that matter to the test.
    /// - Throws: ``FixtureError`` if the builder finds no valid value; `GraphError`: `.classWithoutEntity`,
    ///   `.classOfSeveralEntities`, `.abstractEntity`, `.wrongThread`; the errors of the closure. If this
    ///   method throws, it deletes the objects that it inserted.
    @discardableResult
    public func make<T: ManagedObject>(
        _ type: T.Type = T.self, configuring configure: (T) throws -> Void = { _ in }
    ) throws -> T {
        try complete(context.insert(type), configure)
    }

    /// Inserts several objects of the entity with the given class, and completes the objects.
    ///
    /// - Parameters:
    ///   - type: The class of the objects, which determines their entity.
    ///   - count: The number of objects. If it is 0 or negative, the result is empty.
    ///   - configure: Sets the values that matter to the test. Its second argument is the index of the
    ///     object.
    /// - Throws: The same errors as ``make(_:configuring:)``. Objects that were completed before are not
    ///   deleted.
    @discardableResult
    public func make<T: ManagedObject>(
        _ type: T.Type = T.self, count: Int,
        configuring configure: (T, Int) throws -> Void = { _, _ in }
    ) throws -> [T] {
        try (0..<max(0, count)).map { index in
            try make(type) { object in try configure(object, index) }
        }
    }

    /// Inserts an object of an entity, and completes the object.
    ///
    /// - Parameters:
    ///   - name: The name of the entity, which must not be abstract.
    ///   - configure: Sets the values that matter to the test.
    /// - Throws: The same errors as ``make(_:configuring:)``; `.unknownEntity`.
    @discardableResult
    public func make(
        entity name: String, configuring configure: (ManagedObject) throws -> Void = { _ in }
    ) throws -> ManagedObject {
        try complete(context.insertNewObject(forEntityName: name), configure)
    }

    /// Inserts several objects of an entity, and completes the objects.
    ///
    /// - Parameters:
    ///   - name: The name of the entity, which must not be abstract.
    ///   - count: The number of objects. If it is 0 or negative, the result is empty.
    ///   - configure: Sets the values that matter to the test. Its second argument is the index of the
    ///     object.
    /// - Throws: The same errors as ``make(entity:configuring:)``. Objects that were completed before are not
    ///   deleted.
    @discardableResult
    public func make(
        entity name: String, count: Int,
        configuring configure: (ManagedObject, Int) throws -> Void = { _, _ in }
    ) throws -> [ManagedObject] {
        try (0..<max(0, count)).map { index in
            try make(entity: name) { object in try configure(object, index) }
        }
    }

    private func complete<T: ManagedObject>(
        _ object: T, _ configure: (T) throws -> Void
    ) throws -> T {
        var completion = FixtureCompletion(context, inserted: object)
        do {
            try configure(object)
            try completion.complete(object, completingAttributesWith: completeAttributes)
        } catch {
            for object in completion.inserted { try context.delete(object) }
            throw error
        }
        return object
    }

    private func completeAttributes(of object: ManagedObject) throws {
        let root = object.entity.rootEntity.number
        let number = firstNumber + counts[root, default: 0]
        counts[root, default: 0] += 1
        try uniqueness.complete(object, number: number)
        for attribute in object.entity.attributes
        where !attribute.isTransient && !attribute.isDerived {
            let value = FixtureValue(attribute, of: object)
            if try value.isDefault, try !value.accepts(object[attribute.name]) {
                try value.set(number: number)
            }
        }
    }
}
