import Cairn

/// Makes objects that are valid to save, of which a test sets only what it is about.
///
/// ```swift
/// let fixtures = FixtureBuilder(context)
/// let author = try fixtures.make(Author.self) { $0.name = "George Eliot" }
/// let books = try fixtures.make(Book.self, count: 3) { book, index in book.author = author }
/// ```
///
/// The closure configures the new object. Afterwards, the builder completes it:
///
/// - An attribute that is required and `nil`, or whose default value is refused by the model's rules or
///   the class's checks, gets a value that they accept. The value contains the number of the object among those
///   of its entity hierarchy: the second author has the name “name 2”.
/// - If a uniqueness constraint includes the attribute, no other object of the builder has the value. This
///   also replaces a default value.
/// - A required to-one relationship without a destination gets a new object, which is completed in the same
///   way. No object is shared: set the relationship in the closure to share one.
/// - A to-many relationship gets as many new objects as it needs at least. An optional one stays empty.
/// - If required relationships lead in a circle, the circle is closed with one of the objects that are being
///   made. If the inverses do not allow that, the builder throws.
///
/// A value that equals the default counts as not set. Everything else that the closure sets stays as it is, even
/// if a save would refuse it. Values depend only on the model and on the order of calls. They may equal values
/// of objects that the builder did not make: give builders for one store different first numbers.
///
/// Use a builder in turns of its context only.
public final class FixtureBuilder {
    /// The context into which objects are inserted.
    public let context: ManagedObjectContext
    private let firstNumber: Int
    /// How many objects were made of each root entity.
    private var counts: [EntityNumber: Int] = [:]
    private var uniqueness = FixtureUniqueness()

    /// Creates a builder that has made no objects.
    ///
    /// - Parameter firstNumber: the number of the first object of each entity hierarchy, which its values
    ///   contain.
    public init(_ context: ManagedObjectContext, firstNumber: Int = 1) {
        self.context = context
        self.firstNumber = firstNumber
    }

    /// Inserts an object of the entity that has the class, and completes it.
    ///
    /// - Parameter configure: sets what the test is about.
    /// - Throws: ``FixtureError`` if the builder finds no valid value; `GraphError`: `.classWithoutEntity`,
    ///   `.classOfSeveralEntities`, `.abstractEntity`, `.wrongThread`; what the closure throws. The objects
    ///   that the call inserted are deleted then.
    @discardableResult
    public func make<T: ManagedObject>(
        _ type: T.Type = T.self, configuring configure: (T) throws -> Void = { _ in }
    ) throws -> T {
        try complete(context.insert(type), configure)
    }

    /// Inserts several objects of the entity that has the class, and completes them.
    ///
    /// - Parameter configure: sets what the test is about. Its second argument is the index of the object.
    /// - Throws: as ``make(_:configuring:)``. Objects that were complete stay.
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
    /// - Parameter configure: sets what the test is about.
    /// - Throws: as ``make(_:configuring:)``; `.unknownEntity`.
    @discardableResult
    public func make(
        entity name: String, configuring configure: (ManagedObject) throws -> Void = { _ in }
    ) throws -> ManagedObject {
        try complete(context.insertNewObject(forEntityName: name), configure)
    }

    /// Inserts several objects of an entity, and completes them.
    ///
    /// - Parameter configure: sets what the test is about. Its second argument is the index of the object.
    /// - Throws: as ``make(entity:configuring:)``. Objects that were complete stay.
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
