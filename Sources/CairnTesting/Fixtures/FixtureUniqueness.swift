import Cairn

/// Gives the objects of a ``FixtureBuilder`` values that no other of its objects has, where uniqueness
/// constraints ask for that.
struct FixtureUniqueness {
    private struct Constraint: Hashable {
        let root: EntityNumber
        let names: [String]
    }

    /// How many numbers are tried beyond those that other objects have.
    private static let attempts = 100

    /// The values that objects have together.
    private var used: [Constraint: Set<[Value]>] = [:]

    /// Sets the attributes of constraints that are not set, and notes the values.
    ///
    /// - Parameter number: the number of the object, which the values contain if they are not taken.
    /// - Throws: ``FixtureError``; `GraphError`.
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

    /// Sets what is not set to values that no other object has together. Returns the values of all attributes,
    /// or `nil` if one of them is `nil`, because `nil` is equal to nothing.
    private func unusedValues(
        of attributes: [FixtureValue], _ constraint: Constraint, _ number: Int
    ) throws -> [Value]? {
        let unset = try attributes.filter { try $0.isDefault }
        // An optional attribute without a value keeps the object apart from all others.
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
        throw first.error("all values that the rules accept are taken by other fixtures")
    }
}
