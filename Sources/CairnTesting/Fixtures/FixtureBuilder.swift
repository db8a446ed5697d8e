import Cairn

/// Creates objects that are valid to save. A test sets only the values that matter to it.
///
/// ```swift
/// let fixtures = FixtureBuilder(context)
/// let author = try fixtures.make(Author.self) { $0.name = "George Eliot" }
/// let books = try fixtures.make(Book.self, count: 3) { book, index in book.author = author }
/// ```
///
/// The closure configures the new object. Afterwards, the builder completes it:
///
/// - An attribute gets a valid value if it is required and `nil`, or if the model's rules or the class's
///   checks refuse its default value. The value contains the number of the object in its entity hierarchy:
///   the second author has the name “name 2”.
/// - If a uniqueness constraint includes the attribute, the value differs from those of all other objects of
///   the builder. A default value is replaced for this purpose.
/// - A required to-one relationship without a destination gets a new object, which is completed in the same
///   way. New objects are not shared. To share a destination, set the relationship in the closure.
/// - A required to-many relationship gets its minimum number of new objects. An optional relationship stays
///   empty.
/// - If required relationships form a cycle, the cycle is closed with one of the objects that are being
///   created. If the inverses do not allow that, the builder throws an error.
///
/// A value that equals the default counts as not set. Everything else that the closure sets stays as it is,
/// even if a save would refuse it. Values depend only on the model and on the order of calls. They may equal
/// the values of objects that another builder created, so pass different first numbers to builders for the
/// same store.
///
/// Use a builder in turns of its context only.
public final class FixtureBuilder {
    /// The context into which objects are inserted.
    public let context: ManagedObjectContext
    private let firstNumber: Int
    /// The number of objects that were created of each root entity.
    private var counts: [EntityNumber: Int] = [:]
    private var uniqueness = FixtureUniqueness()

    /// Creates a builder.
    ///
    /// - Parameter firstNumber: the number of the first object of each entity hierarchy, which its values
    ///   contain.
    public init(_ context: ManagedObjectContext, firstNumber: Int = 1) {
        self.context = context
        self.firstNumber = firstNumber
    }

    /// Inserts an object of the entity that has the class, and completes it.
    ///
    /// - Parameter configure: sets the values that matter to the test.
    /// - Throws: ``FixtureError`` if the builder finds no valid value; `GraphError`: `.classWithoutEntity`,
    ///   `.classOfSeveralEntities`, `.abstractEntity`, `.wrongThread`; the errors of the closure. If the call
    ///   throws, the objects that it inserted are deleted.
    @discardableResult
    public func make<T: ManagedObject>(
        _ type: T.Type = T.self, configuring configure: (T) throws -> Void = { _ in }
    ) throws -> T {
        try complete(context.insert(type), configure)
    }

    /// Inserts several objects of the entity that has the class, and completes them.
    ///
    /// - Parameter configure: sets the values that matter to the test. Its second argument is the index of
    ///   the object.
    /// - Throws: the errors of ``make(_:configuring:)``. Objects that were already completed are not deleted.
    @discardableResult
    public func make<T: ManagedObject>(
        _ type: T.Type = T.self, count: Int,
        configuring configure: (T, Int) throws -> Void = { _, _ in }
    ) throws -> [T] {
        try (0..<max(0, count)).map { index in
            try make(type) { object in try configure(object, index) }
        }
    }

    /// Inserts an object of an entity, and completes it.
    ///
    /// - Parameter configure: sets the values that matter to the test.
    /// - Throws: the errors of ``make(_:configuring:)``; `.unknownEntity`.
    @discardableResult
    public func make(
        entity name: String, configuring configure: (ManagedObject) throws -> Void = { _ in }
    ) throws -> ManagedObject {
        try complete(context.insertNewObject(forEntityName: name), configure)
    }

    /// Inserts several objects of an entity, and completes them.
    ///
    /// - Parameter configure: sets the values that matter to the test. Its second argument is the index of
    ///   the object.
    /// - Throws: the errors of ``make(entity:configuring:)``. Objects that were already completed are not
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
