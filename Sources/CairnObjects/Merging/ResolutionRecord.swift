import CairnModel
import CairnRows

/// The changes that resolving conflicts made in addition to the current event: objects that were changed
/// as a whole, and new objects that were replaced by others.
final class ResolutionRecord {
    /// The states of objects before they were changed as a whole.
    private(set) var mementos: [ObjectMemento] = []
    /// The resolutions of conflicts of unique values.
    private(set) var upserts: [Upsert] = []

    func add(_ memento: ObjectMemento) { mementos.append(memento) }

    func add(_ upsert: Upsert) { upserts.append(upsert) }

    /// Restores the objects that were changed as a whole.
    func restoreObjects() {
        for memento in mementos.reversed() { memento.restore() }
    }
}

/// The complete state of an object at one moment, from which it can be restored.
struct ObjectMemento {
    private let object: ManagedObject
    private let id: ObjectID
    private let owner: ManagedObjectContext?
    private let row: Row?
    private let overlay: Overlay?
    private let state: ObjectState
    private let isDeletedByRule: Bool
    private let assignment: StoreNumber?

    init(_ object: ManagedObject) {
        self.object = object
        id = object.objectID
        owner = object.owner
        row = object.row
        overlay = object.overlay.map(Overlay.init(copying:))
        state = object.state
        isDeletedByRule = object.isDeletedByRule
        assignment = owner?.savingState.assignments[object]
    }

    func restore() {
        if object.objectID != id {
            // The object had become a stored object, whose ID was not registered before.
            object.owner?.identityMap.remove(object.objectID)
            object.objectID = id
        }
        object.change(object.allProperties) {
            object.owner = owner
            object.row = row
            object.overlay = overlay
            object.readsRow = row != nil && (overlay?.dirty.isEmpty ?? true)
            let present: ObjectState = [.tracked, .touched, .insertedInEvent, .prefetched]
            object.state = state.subtracting(present).union(object.state.intersection(present))
            object.isDeletedByRule = isDeletedByRule
        }
        guard let owner else { return }
        owner.savingState.assignments[object] = assignment
        if owner.identityMap[object.objectID] == nil {
            owner.identityMap.insert(object, for: object.objectID)
        }
        if state.contains(.tracked) { owner.tracker.readd(object) }
    }
}
