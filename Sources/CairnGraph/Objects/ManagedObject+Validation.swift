import CairnModel

extension ManagedObject {
    /// Checks whether the object may be inserted into a store, as a save does for each new object.
    ///
    /// Checks every value and relationship by the model's rules, and calls the class's checks
    /// (``ValueValidating``, ``ObjectValidating``).
    ///
    /// - Throws: `.validation` with everything that the rules and the class refuse; `.objectGone`,
    ///   `.store`, `.wrongThread`.
    public final func validateForInsert() throws(GraphError) { try validate(for: .insertion) }

    /// Checks whether the object's changes may be saved, as a save does for each changed object.
    ///
    /// Checks what was changed since the last save by the model's rules: nothing of an object without
    /// changes, and everything of a new object. Then calls the class's check of the object.
    /// ``validateForInsert()`` checks a stored object completely.
    ///
    /// - Throws: as ``validateForInsert()``.
    public final func validateForUpdate() throws(GraphError) { try validate(for: .update) }

    /// Checks whether the object may be deleted, as a save does for each deleted object. A program may
    /// call this before it deletes the object.
    ///
    /// Refused by a relationship with the delete rule `deny` that leads to an object which is not
    /// deleted, and by the class's check of the object.
    ///
    /// - Throws: as ``validateForInsert()``.
    public final func validateForDelete() throws(GraphError) { try validate(for: .deletion) }

    private func validate(for operation: SaveOperation) throws(GraphError) {
        try checkTurn("validation")
        guard let owner else { throw .objectGone(objectID) }
        var validator: Validator
        if operation == .deletion {
            validator = Validator(try DeleteRules(owner).denials(of: [self]))
        } else {
            validator = Validator()
            if operation == .insertion || isInserted {
                try validator.checkAll(self)
            } else {
                try validator.checkChanged(self)
            }
        }
        validator.add(validator.refusals(of: self, for: operation))
        try validator.finish()
    }

    /// Checks a value for a property before it is set: its type, the model's rules, and the class's
    /// own ``ValueValidating/checkValue(_:forKey:)``. Changes nothing.
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
