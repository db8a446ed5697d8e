import Cairn

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
