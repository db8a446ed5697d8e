import CairnModel
import CairnStore

/// The changes since the last event of a context, and the previous state.
///
/// An object is noted once per event, when it is first changed, with the values that it had then. This
/// costs nothing if the object had no changes before. So a value that is set a thousand times is one
/// change, and setting it is not recorded here. Only the members of to-many relationships, which would
/// be expensive to copy, are recorded step by step, and only while ``recordsSteps``.
///
/// The journal is the source of an event's notifications, of
/// ``ManagedObject/changedValuesForCurrentEvent()``, of the event's ``UndoRecord``, and of the way back
/// after a failed save.
final class MutationJournal {
    /// An object that was changed in the event.
    struct Touch {
        let object: ManagedObject
        /// The state before the event. ``ObjectState/gone`` if the context did not have the object.
        let state: ObjectState
    }

    // Exclusivity is unchecked where the end of each turn asks whether there is anything: one turn at a time
    // uses the journal, and the checks would be a tenth of an empty turn.

    /// In the order in which they were first changed.
    @exclusivity(unchecked) private(set) var touches: ContiguousArray<Touch> = []
    /// What objects had changed before the event already.
    private var formerChanges: [ObjectIdentifier: Overlay.ChangedValues] = [:]
    private var steps: ContiguousArray<Mutation> = []
    private var formerOrders: [OrderedRelation: [ObjectID]] = [:]
    /// Objects whose values were replaced by those of their store.
    @exclusivity(unchecked) private(set) var refreshed: ContiguousArray<ManagedObject> = []
    /// Objects that lost their values, and may not be in their store any more.
    @exclusivity(unchecked) private(set) var invalidated: ContiguousArray<ManagedObject> = []
    /// Whether changes of relationships and transient values may have to be taken back.
    var recordsSteps = false

    /// An ordered relationship of one object.
    private struct OrderedRelation: Hashable {
        let object: ObjectIdentifier
        let slot: ObjectSlot?
    }

    /// What was merged from saves of others. `nil` if nothing was.
    @exclusivity(unchecked) private(set) var merged: MergedChanges?

    /// Whether nothing was changed.
    var isEmpty: Bool {
        touches.isEmpty && refreshed.isEmpty && invalidated.isEmpty && merged == nil
    }

    /// Notes an object before its first change in the event.
    func touch(_ object: ManagedObject, state: ObjectState) {
        touches.append(Touch(object: object, state: state.subtracting(.passing)))
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

    /// The values that the object had changed before the event. `nil` if it had changed nothing.
    func formerChanges(of object: ManagedObject) -> Overlay.ChangedValues? {
        formerChanges[ObjectIdentifier(object)]
    }

    // MARK: Order

    /// Whether the order that a relationship had before the event is noted.
    func hasOrder(of object: ManagedObject, _ relationship: RelationshipBinding) -> Bool {
        guard !formerOrders.isEmpty else { return false }
        return formerOrders[key(object, relationship)] != nil
    }

    /// Notes the order of a relationship before it is first changed by more than an addition or a
    /// move.
    func noteOrder(
        _ ids: [ObjectID], of object: ManagedObject, _ relationship: RelationshipBinding
    ) {
        formerOrders[key(object, relationship)] = ids
        // Marks when the order was changed. What changed in it is known at the event's end.
        steps.append(.order(object, relationship, OrderChange()))
    }

    private func key(
        _ object: ManagedObject, _ relationship: RelationshipBinding
    ) -> OrderedRelation {
        OrderedRelation(
            object: ObjectIdentifier(object), slot: relationship.storage.objectSlot)
    }

    // MARK: The end of an event

    /// The steps that led somewhere, with each order reduced to the part that is another one now,
    /// and with the IDs that objects have at the event's end.
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

    /// The objects that came and went within the event.
    private var ephemeralObjects: Set<ObjectIdentifier> {
        Set(
            touches.lazy
                .filter { $0.state.contains(.gone) && !$0.object.state.isThere }
                .map { ObjectIdentifier($0.object) })
    }

    /// Forgets the event, and begins to note the next one.
    func clear() {
        for touch in touches {
            touch.object.state.subtract([.touched, .touchedBefore, .newborn])
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
