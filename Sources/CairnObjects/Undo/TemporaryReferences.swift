import CairnModel
import CairnRows
import CairnStack

/// The objects that temporary IDs refer to, so that records with these IDs can still be read after a save
/// has replaced the IDs.
struct TemporaryReferences {
    private var objects: [ObjectID: ManagedObject] = [:]

    /// Notes the object of an ID if the ID is temporary and the context has the object.
    mutating func note(_ id: ObjectID, in context: ManagedObjectContext) {
        guard id.isTemporary, objects[id] == nil, let object = context.identityMap[id] else {
            return
        }
        objects[id] = object
    }

    mutating func note(_ value: Value, in context: ManagedObjectContext) {
        if case .objectID(let id) = value { note(id, in: context) }
    }

    /// Returns the object that was noted for an ID.
    func object(_ id: ObjectID) -> ManagedObject? { objects[id] }

    /// Returns the current ID of the same object.
    func current(_ id: ObjectID) -> ObjectID {
        id.isTemporary ? objects[id]?.objectID ?? id : id
    }

    /// The noted IDs that were replaced, with the current IDs of their objects.
    var replaced: IDReplacements {
        var replaced = IDReplacements()
        for (id, object) in objects where object.objectID != id { replaced[id] = object.objectID }
        return replaced
    }
}
