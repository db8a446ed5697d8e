import CairnModel
import CairnStack

/// A change of an event, in a form from which it can be reverted.
enum Mutation {
    /// The object was inserted, or its deletion was undone. The ID is the one that it had at the end of
    /// the event.
    case appeared(ManagedObject, ObjectID)
    /// The object was deleted, or its insertion was undone.
    case disappeared(ManagedObject, Tombstone)
    /// A row slot was changed. Contains the previous value.
    case value(ManagedObject, slot: RowSlot, Value)
    /// A transient value was changed. Contains the previous value.
    case transient(ManagedObject, slot: ObjectSlot, Value)
    /// A member was added. If the relationship is ordered, it was added at the end.
    case added(ManagedObject, RelationshipBinding, ObjectID)
    /// A member of an unordered relationship was removed.
    case removed(ManagedObject, RelationshipBinding, ObjectID)
    /// A member of an ordered relationship was moved from one index to another.
    case moved(ManagedObject, RelationshipBinding, ObjectID, from: Int, to: Int)
    /// The members of an ordered relationship, or their order, were changed.
    case order(ManagedObject, RelationshipBinding, OrderChange)

    /// The object that was changed.
    var object: ManagedObject {
        switch self {
        case .appeared(let object, _), .disappeared(let object, _), .value(let object, _, _),
            .transient(let object, _, _), .added(let object, _, _), .removed(let object, _, _),
            .moved(let object, _, _, _, _), .order(let object, _, _):
            object
        }
    }

    /// The object at the other end of the changed relationship, if it is a single object.
    var destinationID: ObjectID? {
        switch self {
        case .added(_, _, let id), .removed(_, _, let id), .moved(_, _, let id, _, _),
            .value(_, _, .objectID(let id)):
            id
        default: nil
        }
    }

    /// Returns the same change with other IDs for the same objects.
    func replacingIDs(_ current: (ObjectID) -> ObjectID) -> Mutation {
        switch self {
        case .appeared, .disappeared: self
        case .value(let object, let slot, let value):
            .value(object, slot: slot, value.replacingID(current))
        case .transient(let object, let slot, let value):
            .transient(object, slot: slot, value.replacingID(current))
        case .added(let object, let relationship, let id):
            .added(object, relationship, current(id))
        case .removed(let object, let relationship, let id):
            .removed(object, relationship, current(id))
        case .moved(let object, let relationship, let id, let from, let to):
            .moved(object, relationship, current(id), from: from, to: to)
        case .order(let object, let relationship, let change):
            .order(object, relationship, change.replacingIDs(current))
        }
    }
}

extension Value {
    /// Returns the same value with another ID for the same object.
    func replacingID(_ current: (ObjectID) -> ObjectID) -> Value {
        if case .objectID(let id) = self { .objectID(current(id)) } else { self }
    }
}
