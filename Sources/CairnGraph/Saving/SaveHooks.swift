import CairnModel

/// Calls the hooks of objects that run before a save.
struct SaveHooks {
    /// How often the hooks of a save may change objects again. Core Data gives up after a thousand
    /// rounds, too.
    static let mostRounds = 1000

    private let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) {
        self.context = context
    }

    /// Applies delete rules and calls `prepareForSave`, until neither changes anything.
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

    /// The error of hooks that change objects again and again.
    static func neverSettle(
        _ hook: String, _ objects: some Sequence<ManagedObject>
    ) -> GraphError {
        .hooksNeverSettle(hook: hook, entities: Set(objects.map(\.entity.name)).sorted())
    }
}

/// Finding out whether an object changes after its hook was called, at no cost for those that change:
/// it is made one that the current event has not noted, so that its next change notes it.
extension ManagedObject {
    /// Whether the save has to call `prepareForSave`: it has not yet, or the object was changed since.
    fileprivate final var awaitsPreparation: Bool {
        kind.hooks.prepareForSave != nil && needsHook
    }

    /// Whether the step of the save that is under way has not called the object's hooks, or the object
    /// was changed since.
    final var needsHook: Bool {
        hasChanges && !isAbandoned
            && (!state.contains(.calledToSave) || state.contains(.touched))
    }

    /// Notes that a step of the save calls the object's hooks from here on. Returns whether that is for
    /// the first time.
    final func beginHook() -> Bool {
        watchForChanges()
        return state.insert(.calledToSave).inserted
    }

    /// Has the next change show in the state.
    final func watchForChanges() {
        if state.remove(.touched) != nil { state.insert(.touchedBefore) }
    }

    /// Ends what ``beginHook()`` began.
    final func endHooks() {
        state.remove(.calledToSave)
        if state.remove(.touchedBefore) != nil { state.insert(.touched) }
    }
}
