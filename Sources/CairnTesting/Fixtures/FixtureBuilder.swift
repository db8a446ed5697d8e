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

/// The error of a ``FixtureBuilder`` that cannot create an object that is valid to save.
public struct FixtureError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The name of the entity of which no object could be created.
    public let entity: String
    /// The property for which there is no valid value.
    public let property: String
    /// The reason that the builder found no value.
    public let reason: String

    /// A text with the failure, its reason, and what to do.
    public var description: String {
        "A fixture of \(entity) could not be created: \(reason). Set “\(property)” in the closure that"
            + " configures the object."
    }
}

/// The uniqueness constraints of the objects of a ``FixtureBuilder``. No two objects of the builder get the
/// same values.
struct FixtureUniqueness {
    private struct Constraint: Hashable {
        let root: EntityNumber
        let names: [String]
    }

    /// The number of fixture numbers that are tried beyond the number of existing objects.
    private static let attempts = 100

    /// The combinations of values that objects have, for each constraint.
    private var used: [Constraint: Set<[Value]>] = [:]

    /// Sets those attributes of uniqueness constraints that are not set, and records the values.
    ///
    /// - Parameter number: The number of the object. The values contain it unless they are already taken.
    mutating func complete(_ object: ManagedObject, number: Int) throws {
        for names in object.entity.uniquenessConstraints {
            let constraint = Constraint(root: object.entity.rootEntity.number, names: names)
            let attributes = names.compactMap { object.entity.attribute(named: $0) }
                .filter { !$0.isDerived && !$0.isTransient }
                .map { FixtureValue($0, of: object) }
            guard let values = try unusedValues(of: attributes, constraint, number) else {
                continue
            }
            used[constraint, default: []].insert(values)
        }
    }

    /// Sets the attributes that are not set, so that no other object has the same combination of values.
    /// Returns the values of all attributes, or `nil` if one of them is `nil`, because a `nil` value never
    /// equals another.
    private func unusedValues(
        of attributes: [FixtureValue], _ constraint: Constraint, _ number: Int
    ) throws -> [Value]? {
        let unset = try attributes.filter { try $0.isDefault }
        // If an optional attribute is nil, the object is unique.
        if try unset.contains(where: { try $0.current.isNull && $0.attribute.isOptional }) {
            return nil
        }
        guard let first = unset.first else {
            let values = try attributes.map { try $0.current }
            return values.contains { $0.isNull } ? nil : values
        }
        let used = used[constraint, default: []]
        for number in number...(number + used.count + Self.attempts) {
            for value in unset { try value.set(number: number) }
            let values = try attributes.map { try $0.current }
            if !used.contains(values) { return values }
        }
        throw first.error("other fixtures already have all values that the rules accept")
    }
}
