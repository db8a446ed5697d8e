import CairnModel
import CairnThreads

/// The current event of a context, which consists of the changes since the last event ended. Records the
/// changes, and ends the event.
///
/// An event ends automatically before a save, before a fetch that includes pending changes, before
/// objects are refreshed, and at the end of a turn.
final class ContextEvents: ContextPart {
    /// The maximum number of events that are ended at the end of a turn. Each event can lead to another one
    /// if observers change objects.
    private static let mostRounds = 1000

    /// The changes of the current event.
    let journal = MutationJournal()
    /// The deletions that have not been processed completely.
    let deletions = PendingDeletions()
    /// Whether requests to end the current event are ignored. This is the case during a save, and while
    /// the event is being ended.
    var isHeld = false
    /// Whether the event is scheduled to end with the main queue's turn.
    private var isEndScheduled = false
    /// The objects that fetches of the current turn have prefetched. Objects do not hold each other, so
    /// an array of fetched objects does not hold the objects of their relationships.
    private var heldUntilEndOfTurn: [ManagedObject] = []

    /// Runs a closure without ending the event meanwhile.
    func hold<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        isHeld = true
        defer { isHeld = false }
        return try body()
    }

    // MARK: Beginning an event

    /// Records an object in the current event, before a change of the given kind.
    func touch(_ object: ManagedObject, for change: ObjectState) {
        guard !object.state.contains(.touched) else { return }
        if object.state.remove(.touchedBefore) != nil {
            object.state.insert(.touched)
            return
        }
        beginIfNeeded()
        if journal.touches.isEmpty { context.undoing.beginEvent() }
        let isNew = change == .inserted
        journal.touch(object, state: isNew ? .gone : object.state)
        object.state.formUnion(isNew ? [.touched, .insertedInEvent] : .touched)
    }

    /// Records an object, unless the current event contains it already. Called before an object leaves the
    /// context, or before its whole state changes.
    func touchIfNeeded(_ object: ManagedObject) {
        if !object.state.contains(.touched) { touch(object, for: .updated) }
    }

    /// Reports in the current event that an object was refreshed from its store.
    func noteRefreshed(_ object: ManagedObject) {
        beginIfNeeded()
        journal.noteRefreshed(object)
    }

    /// Reports in the current event that an object lost its values.
    func noteInvalidated(_ object: ManagedObject) {
        beginIfNeeded()
        journal.noteInvalidated(object)
    }

    /// Adds the changes that were merged from saves of other contexts to the current event.
    func noteMerged(_ changes: MergedChanges) {
        if changes.all.isEmpty { return }
        beginIfNeeded()
        journal.noteMerged(changes)
    }

    private func beginIfNeeded() {
        guard journal.isEmpty else { return }
        journal.recordsSteps = recordsSteps
        scheduleEndOfTurn()
    }

    /// Whether the changes of an event that begins now may have to be reverted.
    var recordsSteps: Bool { isHeld || context.undoing.isRecording }

    // MARK: Ending an event

    /// Ends the event. See ``ManagedObjectContext/processPendingChanges()``.
    func end() {
        guard !journal.isEmpty, !isHeld else { return }
        deletions.endEvent()
        context.remoteChanges.removeUnkeptObjects()
        context.undoing.registerEvent()
        context.observers.announce(close())
        deletions.removeAbandonedInsertions()
    }

    /// Ends the event without notifying observers, and returns its changes.
    func close() -> EventChanges {
        let changes = EventChanges(journal)
        journal.clear()
        context.tracker.pruneIdle()
        return changes
    }

    /// Reverts the event without notifying observers.
    func revert() {
        revert(UndoRecord(eventOf: context), touches: journal.touches)
    }

    /// Reverts a recorded event without notifying observers.
    ///
    /// - Parameter touches: The journal's touches at the time when the record was made.
    func revert(_ record: UndoRecord, touches: ContiguousArray<MutationJournal.Touch>) {
        journal.recordsSteps = false
        context.undoing.revert(record)
        // The tracker may have released an object during the event.
        let present: ObjectState = [.tracked, .prefetched]
        for touch in touches where !touch.state.contains(.gone) {
            let object = touch.object
            object.state = touch.state.subtracting(present).union(
                object.state.intersection(present))
            if object.owner === context, object.hasChanges { context.tracker.readd(object) }
        }
        for touch in touches where touch.state.contains(.gone) && touch.object.owner === context {
            context.detach(touch.object)
        }
        journal.clear()
    }

    // MARK: Ending a turn

    /// Whether anything must be done at the end of a turn. Most turns of a server only read, and
    /// checking everything at the end would cost more than the turn itself.
    var hasWorkAtEndOfTurn: Bool { !journal.isEmpty || !heldUntilEndOfTurn.isEmpty }

    /// Ends the turn: ends its events, and releases the objects that were held until now.
    func endTurn() {
        // When the background save ends, this method is called again.
        if context.savingState.isSavingInBackground { return }
        var rounds = 0
        while !journal.isEmpty, !isHeld, rounds < Self.mostRounds {
            end()
            rounds += 1
        }
        context.undoing.endEvent()
        releaseHeldObjects()
    }

    /// Schedules the end of the main queue's turn. Other turns are ended by the code that begins them.
    func scheduleEndOfTurn() {
        guard context.concurrencyType == .mainQueue, !isEndScheduled else { return }
        isEndScheduled = true
        MainQueue.schedule { [weak context] in
            guard let events = context?.events else { return }
            events.isEndScheduled = false
            events.endTurn()
        }
    }

    /// Holds objects until the turn ends.
    func holdUntilEndOfTurn(_ objects: [ManagedObject]) {
        guard !objects.isEmpty else { return }
        scheduleEndOfTurn()
        // Assigned instead of appended to: this lets the compiler prove that accesses do not overlap, so
        // that the check at the end of each turn needs no exclusivity checks.
        // A confined context has no turns, so each fetch replaces what the one before held.
        let replaces = heldUntilEndOfTurn.isEmpty || context.queue.isConfined
        heldUntilEndOfTurn = replaces ? objects : heldUntilEndOfTurn + objects
    }

    func releaseHeldObjects() { heldUntilEndOfTurn = [] }
}
