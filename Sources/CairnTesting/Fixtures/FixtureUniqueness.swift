import Cairn

/// Sets the attributes of uniqueness constraints to values that no other object of the ``FixtureBuilder``
/// has.
struct FixtureUniqueness {
    private struct Constraint: Hashable {
        let root: EntityNumber
        let names: [String]
    }

    /// The number of values that are tried in addition to those that other objects have.
    private static let attempts = 100

    /// The combinations of values that objects have.
    private var used: [Constraint: Set<[Value]>] = [:]

    /// Sets the attributes of constraints that are not set yet, and records the values.
    ///
    /// - Parameter number: the number of the object. The values contain it, unless another object already has
    ///   them.
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

    /// Sets the attributes that are not set yet, so that no other object has the same combination of values.
    /// Returns the values of all attributes. Returns `nil` if one of them is `nil`, because `nil` is not
    /// equal to any value.
    private func unusedValues(
        of attributes: [FixtureValue], _ constraint: Constraint, _ number: Int
    ) throws -> [Value]? {
        let unset = try attributes.filter { try $0.isDefault }
        // If an optional attribute is `nil`, the object cannot violate the constraint.
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
