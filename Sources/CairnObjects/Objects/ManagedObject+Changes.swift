import CairnModel
import CairnStack

extension ManagedObject {
    /// Returns the current values, by name, of the attributes and to-one relationships that differ from
    /// the stored values. For a new object, these are all values that are not `nil`. The value of a
    /// to-one relationship is the destination's ID.
    public final func changedValues() -> [String: Value] {
        checkTurn()
        guard let overlay else { return [:] }
        var changed: [String: Value] = [:]
        for slot in overlay.dirty {
            let value = overlay.value(at: slot) ?? .null
            if isInserted, value.isNull { continue }
            changed[kind.layout.property(at: slot).name] = value
        }
        return changed
    }

    /// Returns the names of the to-many relationships whose members or order were changed.
    public final func changedToManyRelationships() -> Set<String> {
        checkTurn()
        return Set(
            kind.relationships.filter { $0.isToMany && knownMembers($0).hasChanges }.map(\.name))
    }

    /// Returns the values, by name, that the attributes and to-one relationships had when they were last
    /// fetched or saved. Returns an empty dictionary for a new object. If the object is a fault, it is
    /// fired; if that fails, the failure is reported and the dictionary is empty.
    ///
    /// - Parameter keys: The names of the properties to return. If `nil`, all attributes and to-one
    ///   relationships are returned. Unknown names are ignored.
    public final func committedValues(forKeys keys: [String]?) -> [String: Value] {
        checkTurn()
        if let successor { return successor.committedValues(forKeys: keys) }
        do throws(GraphError) {
            return try storedValues(forKeys: keys.map(Set.init))
        } catch {
            report(error)
            return [:]
        }
    }

    private final func storedValues(
        forKeys keys: Set<String>?
    ) throws(GraphError) -> [String: Value] {
        guard let row = try realizedRow() else { return [:] }
        var values: [String: Value] = [:]
        for slot in kind.layout.rowSlots {
            let name = kind.layout.property(at: slot).name
            guard keys?.contains(name) ?? true else { continue }
            values[name] = try storedValue(at: slot, in: row)
        }
        return values
    }
}
