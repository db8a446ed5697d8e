import CairnModel

extension ManagedObject {
    /// Checks a value for a property before it is set: its type, the model's rules, and the class's
    /// own ``validate(_:forKey:)``. Changes nothing.
    ///
    /// - Returns: the value to set: the result of the class's check. For a relationship, `value`
    ///   itself.
    /// - Throws: `.validation` with every broken rule; `.unknownProperty`, `.wrongType`, `.transformation`,
    ///   `.wrongThread`; `.objectGone` and `.store` of a transformable attribute.
    @discardableResult
    public final func validateValue(_ value: Any?, forKey key: String) throws(GraphError) -> Any? {
        try checkTurn(key)
        var validator = Validator()
        switch try kind.binding(key) {
        case .attribute(let binding):
            let converted = try stored(value, of: binding)
            let checked = validator.checked(converted, for: binding, of: self)
            try validator.finish()
            return try shown(checked, of: binding)
        case .relationship(let binding):
            guard let count = Self.count(of: value, binding) else {
                throw wrongType(
                    key, expected: binding.isToMany ? "objects" : "an object",
                    found: describe(value))
            }
            validator.check(count: count, of: binding, in: self)
            try validator.finish()
            return value
        case .fetchedProperty:
            throw wrongType(key, expected: "no value: it is fetched", found: describe(value))
        }
    }

    /// Returns how many destinations a value would lead to, or `nil` if the value does not fit the
    /// relationship.
    private static func count(of value: Any?, _ binding: RelationshipBinding) -> Int? {
        if binding.isToMany { return objects(in: value).map { Set($0).count } }
        if value.isNothing { return 0 }
        return value is ManagedObject ? 1 : nil
    }
}
