import CairnModel

/// The objects that temporary IDs stand for, so that what keeps the IDs can still be read after a
/// save has replaced them.
struct TemporaryReferences {
    private var objects: [ObjectID: ManagedObject] = [:]

    /// Notes the object of an ID, if the ID may be replaced and the context has the object.
    mutating func note(_ id: ObjectID, in context: ManagedObjectContext) {
        guard id.isTemporary, objects[id] == nil, let object = context.identityMap[id] else {
            return
        }
        objects[id] = object
    }

    mutating func note(_ value: Value, in context: ManagedObjectContext) {
        if case .objectID(let id) = value { note(id, in: context) }
    }

    /// The object that was noted for an ID.
    func object(_ id: ObjectID) -> ManagedObject? { objects[id] }

    /// The ID that the same object has now.
    func current(_ id: ObjectID) -> ObjectID {
        id.isTemporary ? objects[id]?.objectID ?? id : id
    }

    /// Those of the noted IDs that were replaced, with the ones that the objects have now.
    var replaced: IDReplacements {
        var replaced = IDReplacements()
        for (id, object) in objects where object.objectID != id { replaced[id] = object.objectID }
        return replaced
    }
}
