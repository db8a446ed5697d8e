import CairnEngineKit
import CairnModel
import CairnStack

/// An evaluation source that provides a context's objects with their unsaved values.
package struct ContextObjects: EvaluationSource {
    let context: ManagedObjectContext
    /// Whether the program evaluates a predicate on objects that it has, as opposed to a fetch.
    /// Transient values are then included, and observers of the objects are notified of reads.
    var isAskedByProgram = false

    package init(context: ManagedObjectContext, isAskedByProgram: Bool = false) {
        self.context = context
        self.isAskedByProgram = isAskedByProgram
    }

    package func id(of object: ManagedObject) -> ObjectID { object.objectID }

    package func value(
        of attribute: Attribute, in object: ManagedObject
    ) throws(GraphError) -> Value {
        let storage = PropertySlot(of: attribute)
        guard let slot = storage.rowSlot, object.kind.layout.contains(slot) else {
            return isAskedByProgram ? try transientValue(of: attribute, in: object) : .null
        }
        if isAskedByProgram { object.noteRead(of: storage) }
        return try object.value(at: slot)
    }

    private func transientValue(
        of attribute: Attribute, in object: ManagedObject
    ) throws(GraphError) -> Value {
        guard case .attribute(let binding) = try object.kind.binding(attribute.name) else {
            return .null
        }
        return try object.value(of: binding)
    }

    package func destination(
        of relationship: Relationship, in object: ManagedObject
    ) throws(GraphError) -> ObjectID? {
        guard case .relationship(let binding) = try object.kind.binding(relationship.name) else {
            return nil
        }
        if isAskedByProgram { object.noteRead(of: binding.storage) }
        return try object.destinationID(binding)
    }

    package func members(
        of relationship: Relationship, in object: ManagedObject
    ) throws(GraphError) -> [ObjectID] {
        guard case .relationship(let binding) = try object.kind.binding(relationship.name) else {
            return []
        }
        if isAskedByProgram { object.noteRead(of: binding.storage) }
        return try object.loadedMembers(binding).current
    }

    package func object(
        referredToBy reference: Attribute, key: Value
    ) throws(GraphError) -> ManagedObject? {
        try context.lookup(of: reference)?.object(key, in: context)
    }

    package func failure(for error: FetchPredicateError) -> GraphError { .predicate(error) }

    /// Returns the objects with the given IDs. An object whose row is gone is `nil`.
    package func objects(for ids: [ObjectID]) throws(GraphError) -> [ManagedObject?] {
        let objects = ids.map(context.registeredOrFault)
        try context.faults.fire(objects.compactMap { $0 })
        return objects.map { $0?.isFault == true ? nil : $0 }
    }
}
