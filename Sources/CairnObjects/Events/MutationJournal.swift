import CairnModel
import CairnStack

/// The changes of a context since the last event, and the state before them.
///
/// An object is recorded once per event, when it is first changed, together with the values that it had
/// changed before. This costs nothing if the object had no changes. A value that is set a thousand times
/// is therefore a single change, and setting a value is not recorded here. Only the members of to-many
/// relationships, which would be expensive to copy, are recorded step by step, and only if
/// ``recordsSteps`` is `true`.
///
/// The journal is the source of an event's notifications, of
/// ``ManagedObject/changedValuesForCurrentEvent()`` and of the event's ``UndoRecord``. It is also used
/// to restore the state after a failed save.
final class MutationJournal {
    /// An object that was changed in the event.
    struct Touch {
        let object: ManagedObject
        /// The state before the event. ``ObjectState/gone`` if the context did not contain the object.
        let state: ObjectState
    }

    // Exclusivity checking is disabled for the properties that are read at the end of each turn. Only
    // one turn at a time uses the journal, and the checks would take a tenth of the time of an empty
    // turn.

    /// The changed objects, in the order in which they were first changed.
    @exclusivity(unchecked) private(set) var touches: ContiguousArray<Touch> = []
    /// The changes that objects already had before the event.
    private var formerChanges: [ObjectIdentifier: Overlay.ChangedValues] = [:]
    private var steps: ContiguousArray<Mutation> = []
    private var formerOrders: [OrderedRelation: [ObjectID]] = [:]
    /// Objects whose values were replaced by those of their stores.
    @exclusivity(unchecked) private(set) var refreshed: ContiguousArray<ManagedObject> = []
    /// Objects that lost their values. Their stores may no longer contain them.
    @exclusivity(unchecked) private(set) var invalidated: ContiguousArray<ManagedObject> = []
    /// Whether changes of relationships and transient values may have to be reverted.
    var recordsSteps = false

    /// An ordered relationship of one object.
    private struct OrderedRelation: Hashable {
        let object: ObjectIdentifier
        let slot: ObjectSlot?
    }

    /// The changes that were merged from saves of other contexts. `nil` if nothing was merged.
    @exclusivity(unchecked) private(set) var merged: MergedChanges?

    /// Whether there are no changes.
    var isEmpty: Bool {
        touches.isEmpty && refreshed.isEmpty && invalidated.isEmpty && merged == nil
    }

    /// Records an object before its first change in the event.
    func touch(_ object: ManagedObject, state: ObjectState) {
        touches.append(Touch(object: object, state: state.subtracting(.transientFlags)))
        if let changes = object.overlay?.changedValues {
            formerChanges[ObjectIdentifier(object)] = changes
        }
    }

    func noteRefreshed(_ object: ManagedObject) { refreshed.append(object) }

    func noteInvalidated(_ object: ManagedObject) { invalidated.append(object) }

    func noteMerged(_ changes: MergedChanges) {
        if merged == nil { merged = changes } else { merged?.formUnion(changes) }
    }

    func append(_ step: Mutation) { steps.append(step) }

    /// Returns the values that the object had changed before the event, or `nil` if it had changed
    /// nothing.
    func formerChanges(of object: ManagedObject) -> Overlay.ChangedValues? {
        formerChanges[ObjectIdentifier(object)]
    }

    // MARK: Order

    /// Whether the order that a relationship had before the event is recorded.
    func hasOrder(of object: ManagedObject, _ relationship: RelationshipBinding) -> Bool {
        guard !formerOrders.isEmpty else { return false }
        return formerOrders[key(object, relationship)] != nil
    }

    /// Records the order of a relationship before its first change other than an addition or a move.
    func noteOrder(
        _ ids: [ObjectID], of object: ManagedObject, _ relationship: RelationshipBinding
    ) {
        formerOrders[key(object, relationship)] = ids
        // Marks when the order was changed. The change itself is determined at the end of the event.
        steps.append(.order(object, relationship, OrderChange()))
    }

    private func key(
        _ object: ManagedObject, _ relationship: RelationshipBinding
    ) -> OrderedRelation {
        OrderedRelation(
            object: ObjectIdentifier(object), slot: relationship.storage.objectSlot)
    }

    // MARK: Ending an event

    /// Returns the steps that had an effect in the end. Each order is reduced to the part that changed,
    /// and objects have the IDs that they have at the end of the event.
    func finishedSteps(in context: ManagedObjectContext) -> ContiguousArray<Mutation> {
        guard !steps.isEmpty else { return [] }
        var net = NetSteps(without: ephemeralObjects)
        for step in steps {
            var order: [ObjectID] = []
            if case .order(let object, let relationship, _) = step {
                order = formerOrders[key(object, relationship)] ?? []
            }
            net.add(
                step.replacingIDs(context.currentID),
                formerOrder: order.map(context.currentID))
        }
        return net.finished()
    }

    /// The objects that were both inserted and deleted in the event.
    private var ephemeralObjects: Set<ObjectIdentifier> {
        Set(
            touches.lazy
                .filter { $0.state.contains(.gone) && !$0.object.state.staysInContext }
                .map { ObjectIdentifier($0.object) })
    }

    /// Removes all records, so that the next event can be recorded.
    func clear() {
        for touch in touches {
            touch.object.state.subtract([.touched, .touchedBefore, .insertedInEvent])
        }
        touches = []
        formerChanges = [:]
        steps = []
        formerOrders = [:]
        refreshed = []
        invalidated = []
        merged = nil
        recordsSteps = false
    }
}

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
