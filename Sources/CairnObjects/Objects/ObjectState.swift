import CairnModel

/// The state of an object in its context, and what the next save does with it.
package struct ObjectState: OptionSet {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The object is new and has not been saved.
    static let inserted = ObjectState(rawValue: 1)
    /// A value or relationship was changed.
    static let updated = ObjectState(rawValue: 2)
    /// The next save deletes the object.
    static let deleted = ObjectState(rawValue: 4)
    /// The object is among the changed objects that the context holds.
    static let tracked = ObjectState(rawValue: 8)
    /// The object's row is no longer in the store.
    static let gone = ObjectState(rawValue: 16)
    /// The journal has noted the object in the current event.
    static let touched = ObjectState(rawValue: 32)
    /// The object was not in the context before the current event.
    static let insertedInEvent = ObjectState(rawValue: 64)
    /// ``ManagedObject/awakeFromFetch()`` is running, so values that are set are not changes.
    static let awaking = ObjectState(rawValue: 128)
    /// The hooks of the current step of a save, preparation or validation, have been called.
    static let calledToSave = ObjectState(rawValue: 256)
    /// ``ManagedObject/prepareForDeletion()`` is running.
    static let preparingForDeletion = ObjectState(rawValue: 512)

    /// Another object holds this one, because a path to it was prefetched; see ``PrefetchedObjects``.
    static let prefetched = ObjectState(rawValue: 1024)
    /// The object is already in the list that ``PrefetchedObjects`` is creating.
    static let listed = ObjectState(rawValue: 2048)
    /// The object was ``touched`` before a hook was called. The call cleared that flag, so that a change
    /// in the hook can be detected.
    static let touchedBefore = ObjectState(rawValue: 4096)
    /// The object left its context because another object there has the same ID; see
    /// ``ManagedObject/successor``.
    static let superseded = ObjectState(rawValue: 8192)

    /// The class's ``ObjectValidating/checkObject(for:)`` is running.
    static let checking = ObjectState(rawValue: 16384)
    /// The object is ``gone`` because another context or another program deleted it.
    static let deletedElsewhere = ObjectState(rawValue: 32768)

    /// Flags that are set only while a hook or a save runs, so undo never restores them.
    static let transientFlags: ObjectState = [
        .awaking, .calledToSave, .preparingForDeletion, .checking,
    ]

    /// Whether the object is neither deleted nor gone, so that it stays in the context.
    package var staysInContext: Bool { isDisjoint(with: [.deleted, .gone]) }
}
