import CairnModel
import CairnStore

/// The current event of a context: notes what is changed, and ends the event.
///
/// An event ends by itself before a save, before a fetch that includes pending changes, before objects are
/// refreshed, and with the turn.
final class ContextEvents: ContextPart {
    /// How many events observers may add at the end of a turn by changing objects themselves.
    private static let mostRounds = 1000

    /// What was changed in the current event.
    let journal = MutationJournal()
    /// What was deleted, and has not been dealt with yet.
    let deletions = PendingDeletions()
    /// Whether the current event goes on whoever asks for its end: during a save, and while it is
    /// being ended.
    var isHeld = false
    /// Whether the end of the main queue's turn will end the event.
    private var isEndScheduled = false
    /// What fetches of the current turn have prefetched. Objects do not hold each other, so an
    /// array of fetched objects does not hold what their relationships lead to.
    private var heldUntilEndOfTurn: [ManagedObject] = []

    /// Runs the body, and does not end the event meanwhile.
    func hold<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        isHeld = true
        defer { isHeld = false }
        return try body()
    }

    // MARK: The beginning of an event

    /// Notes an object in the current event, before a change of that kind.
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
        object.state.formUnion(isNew ? [.touched, .newborn] : .touched)
    }

    /// Notes an object that leaves the context, or is changed as a whole.
    func touchIfNeeded(_ object: ManagedObject) {
        if !object.state.contains(.touched) { touch(object, for: .updated) }
    }

    /// Tells observers, with the current event, that an object's values are those of its store.
    func noteRefreshed(_ object: ManagedObject) {
        beginIfNeeded()
        journal.noteRefreshed(object)
    }

    /// Tells observers, with the current event, that an object lost its values.
    func noteInvalidated(_ object: ManagedObject) {
        beginIfNeeded()
        journal.noteInvalidated(object)
    }

    /// Tells observers, with the current event, what was merged from saves of others.
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

    /// Whether the changes of an event that begins now may have to be taken back.
    var recordsSteps: Bool { isHeld || context.undoing.isRecording }

    // MARK: The end of an event

    /// Ends the event: see ``ManagedObjectContext/processPendingChanges()``.
    func end() {
        guard !journal.isEmpty, !isHeld else { return }
        deletions.endEvent()
        context.remoteChanges.letGoOfUnkeptObjects()
        context.undoing.registerEvent()
        context.observers.announce(close())
        deletions.letGoOfAbandonedInsertions()
    }

    /// Ends the event without telling anyone, and returns what it changed.
    func close() -> EventChanges {
        let changes = EventChanges(journal)
        journal.clear()
        context.tracker.pruneIdle()
        return changes
    }

    /// Makes the context what it was before the event, and tells no one.
    func takeBack() {
        takeBack(UndoRecord(eventOf: context), touches: journal.touches)
    }

    /// Makes the context what it was before an event that was noted, and tells no one.
    ///
    /// - Parameter touches: the journal's when the record was made.
    func takeBack(_ record: UndoRecord, touches: ContiguousArray<MutationJournal.Touch>) {
        journal.recordsSteps = false
        context.undoing.takeBack(record)
        for touch in touches where touch.state.isThere {
            touch.object.state = touch.state.union(
                touch.object.state.intersection([.tracked, .prefetched]))
        }
        for touch in touches where !touch.state.isThere && touch.object.owner === context {
            context.letGo(of: touch.object)
        }
        journal.clear()
    }

    // MARK: The end of a turn

    /// Whether the end of a turn has something to do. Most turns of a server only read, and a turn costs
    /// less than what its end would look at.
    var hasWorkAtEndOfTurn: Bool { !journal.isEmpty || !heldUntilEndOfTurn.isEmpty }

    /// Ends the turn: ends its events, and lets go of what was held until now.
    func endTurn() {
        // The end of a background save schedules another end of the turn.
        if context.savingState.isSavingInBackground { return }
        var rounds = 0
        while !journal.isEmpty, !isHeld, rounds < Self.mostRounds {
            end()
            rounds += 1
        }
        context.undoing.endEvent()
        letGoOfHeldObjects()
    }

    /// Has the main queue end the turn. Other turns are ended by whoever began them.
    func scheduleEndOfTurn() {
        guard context.concurrencyType == .mainQueue, !isEndScheduled else { return }
        isEndScheduled = true
        EventEnd.schedule { [weak context] in
            guard let events = context?.events else { return }
            events.isEndScheduled = false
            events.endTurn()
        }
    }

    /// Holds objects until the turn ends.
    func holdUntilEndOfTurn(_ objects: [ManagedObject]) {
        guard !objects.isEmpty else { return }
        scheduleEndOfTurn()
        // Set, and not appended to: the compiler then proves that accesses do not overlap, and the end of each
        // turn, which asks whether there are objects, checks nothing.
        heldUntilEndOfTurn = heldUntilEndOfTurn.isEmpty ? objects : heldUntilEndOfTurn + objects
    }

    func letGoOfHeldObjects() { heldUntilEndOfTurn = [] }
}
