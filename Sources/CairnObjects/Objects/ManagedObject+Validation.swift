import CairnModel
import CairnStack

extension ManagedObject {
    /// Checks whether the object can be inserted into a store, as a save does for each new object.
    ///
    /// Checks every value and relationship against the model's rules, and calls the class's own checks
    /// (``ValueValidating``, ``ObjectValidating``).
    ///
    /// - Throws: `.validation` with all rules that are broken and all refusals by the class;
    ///   `.objectGone`, `.store`, `.wrongThread`.
    public final func validateForInsert() throws(GraphError) { try validate(for: .insertion) }

    /// Checks whether the object's changes can be saved, as a save does for each changed object.
    ///
    /// Checks what changed since the last save against the model's rules: nothing if the object has no
    /// changes, and everything if it is new. Then calls the class's check of the object. To check a
    /// stored object completely, use ``validateForInsert()``.
    ///
    /// - Throws: The same errors as ``validateForInsert()``.
    public final func validateForUpdate() throws(GraphError) { try validate(for: .update) }

    /// Checks whether the object can be deleted, as a save does for each deleted object. A program can
    /// call this before it deletes the object.
    ///
    /// The deletion is refused if a relationship with the delete rule `deny` leads to an object that is
    /// not deleted, or if the class's check of the object refuses it.
    ///
    /// - Throws: The same errors as ``validateForInsert()``.
    public final func validateForDelete() throws(GraphError) { try validate(for: .deletion) }

    private func validate(for operation: SaveOperation) throws(GraphError) {
        try checkTurn("validation")
        guard let owner else { throw .objectGone(objectID, absence) }
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

    /// Checks a value for a property before it is set: its type, the model's rules, and the class's own
    /// ``ValueValidating/checkValue(_:forKey:)``. Does not change the object.
    ///
    /// - Returns: The value to set, which is the result of the class's check. For a relationship, `value`
    ///   itself.
    /// - Throws: `.validation` with every broken rule; `.unknownProperty`, `.wrongType`,
    ///   `.transformation`, `.wrongThread`. For a transformable attribute, also `.objectGone` and
    ///   `.store`.
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
                    key,
                    expected: binding.isToMany
                        ? "a collection of managed objects" : "a managed object or nil",
                    found: describe(value))
            }
            validator.check(count: count, of: binding, in: self)
            try validator.finish()
            return value
        case .fetchedProperty:
            throw wrongType(
                key, expected: "no value, because it is a fetched property", found: describe(value))
        }
    }

    /// Returns the number of destinations in a value for a relationship, or `nil` if the value does not
    /// fit the relationship.
    private static func count(of value: Any?, _ binding: RelationshipBinding) -> Int? {
        if binding.isToMany { return objects(in: value).map { Set($0).count } }
        if value.isNothing { return 0 }
        return value is ManagedObject ? 1 : nil
    }
}
