import CairnModel
import CairnStore

/// What is to become of an object in its context.
struct ObjectState: OptionSet {
    let rawValue: UInt16

    /// No store has it yet.
    static let inserted = ObjectState(rawValue: 1)
    /// Some value or relationship was changed.
    static let updated = ObjectState(rawValue: 2)
    /// The next save deletes it.
    static let deleted = ObjectState(rawValue: 4)
    /// The context holds it among those with changes.
    static let tracked = ObjectState(rawValue: 8)
    /// Its row is not in the store any more.
    static let gone = ObjectState(rawValue: 16)
    /// The journal of the current event has noted it.
    static let touched = ObjectState(rawValue: 32)
    /// The context did not have it before the current event.
    static let newborn = ObjectState(rawValue: 64)
    /// It is in ``ManagedObject/awakeFromFetch()``: what it gives itself is no change.
    static let awaking = ObjectState(rawValue: 128)
    /// The step of a save that is under way, preparation or validation, has called its hooks.
    static let calledToSave = ObjectState(rawValue: 256)
    /// It is in ``ManagedObject/prepareForDeletion()``.
    static let parting = ObjectState(rawValue: 512)

    /// Another object holds it, because a path to it was prefetched; see ``PrefetchedObjects``.
    static let prefetched = ObjectState(rawValue: 1024)
    /// It is in the list that ``PrefetchedObjects`` is making, so that it is listed once.
    static let listed = ObjectState(rawValue: 2048)
    /// It was ``touched`` before a hook was called. The hook's call took that away, so that a change in
    /// the hook shows.
    static let touchedBefore = ObjectState(rawValue: 4096)
    /// It left its context because another object there has its ID, and answers for it.
    static let superseded = ObjectState(rawValue: 8192)

    /// Its class's ``ObjectValidating/checkObject(for:)`` is running.
    static let checking = ObjectState(rawValue: 16384)
    /// What holds only while a hook or a save runs, so that it is never a state to go back to.
    static let passing: ObjectState = [.awaking, .calledToSave, .parting, .checking]

    /// Whether the object is to stay in the context.
    var isThere: Bool { isDisjoint(with: [.deleted, .gone]) }
}
