import CairnModel
import CairnStack

/// Calls the hooks of objects that run before a save.
struct SaveHooks {
    /// The maximum number of rounds in which hooks may change objects again. Core Data also gives up
    /// after a thousand rounds.
    static let mostRounds = 1000

    private let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) {
        self.context = context
    }

    /// Applies delete rules and calls `prepareForSave` until neither changes anything.
    ///
    /// - Throws: `.hooksNeverSettle`, `.store`.
    func prepareObjects() throws(GraphError) {
        let deletions = context.events.deletions
        let tracker = context.tracker
        var called: ContiguousArray<ManagedObject> = []
        defer { for object in called { object.endHooks() } }
        for _ in 0..<Self.mostRounds {
            try deletions.propagate()
            let waiting = tracker.objects.filter(\.awaitsPreparation)
            if waiting.isEmpty { return }
            for object in waiting {
                if object.beginHook() { called.append(object) }
                object.kind.hooks.prepareForSave?(object)
            }
        }
        throw Self.neverSettle("prepareForSave", tracker.objects.filter(\.awaitsPreparation))
    }

    /// Returns the error for hooks that never stop changing objects.
    static func neverSettle(_ hook: String, _ objects: some Sequence<ManagedObject>) -> GraphError {
        .hooksNeverSettle(hook: hook, entities: Set(objects.map(\.entity.name)).sorted())
    }
}

/// Detection of changes that follow a call of an object's hook. It costs nothing for the changes
/// themselves: the object's state is set as if the current event had not noted it, so that its next
/// change notes it.
extension ManagedObject {
    /// Whether the save must call `prepareForSave`, because it was not called yet or the object was
    /// changed since.
    fileprivate final var awaitsPreparation: Bool {
        kind.hooks.prepareForSave != nil && needsHook
    }

    /// Whether the current step of the save has not called the object's hooks yet, or the object was
    /// changed since.
    final var needsHook: Bool {
        hasChanges && !isAbandoned
            && (!state.contains(.calledToSave) || state.contains(.touched))
    }

    /// Notes that a step of the save is calling the object's hooks. Returns whether this is the step's
    /// first call for the object.
    final func beginHook() -> Bool {
        watchForChanges()
        return state.insert(.calledToSave).inserted
    }

    /// Makes the object's next change visible in its state.
    final func watchForChanges() {
        if state.remove(.touched) != nil { state.insert(.touchedBefore) }
    }

    /// Ends the effect of ``beginHook()``.
    final func endHooks() {
        state.remove(.calledToSave)
        if state.remove(.touchedBefore) != nil { state.insert(.touched) }
    }
}

/// A managed object class whose objects change themselves or other objects before they are saved, for
/// example to set a modification date.
///
/// In Core Data, a class overrides `willSave` for this purpose. Saving objects of classes that do not
/// conform has no extra cost.
public protocol SavePreparing: ManagedObject {
    /// Called before a save for each object with changes. Called again for each object that any object's
    /// `prepareForSave()` has changed since, until nothing changes any more.
    ///
    /// Setting a value to its current value, or setting a primitive value, is not a change. A save whose
    /// hooks still change objects after 1,000 rounds throws `GraphError.hooksNeverSettle`.
    func prepareForSave()
}
