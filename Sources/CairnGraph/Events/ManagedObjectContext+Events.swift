import CairnModel
import CairnStore

extension ManagedObjectContext {
    /// How many events observers may add at the end of a turn by changing objects themselves.
    private static let eventRounds = 1000

    /// Ends the event: applies delete rules, makes one record for the undo manager, and tells
    /// observers what was changed since the last event, coalesced.
    ///
    /// An event ends by itself before a save, before a fetch that includes pending changes, before
    /// objects are refreshed, and with the turn: that of `perform` and `performAndWait`, or, on the
    /// main queue, that of the queue. Where nothing was changed this does nothing; during a save
    /// nothing either, because a save is one event.
    ///
    /// What a delete rule needs and a store cannot give is left to the save, which throws.
    ///
    /// - Precondition: the calling thread is in a turn of the context.
    public func processPendingChanges() {
        requireTurn("processPendingChanges")
        guard !journal.isEmpty, !isHoldingEvent else { return }
        if propagatesDeletesAtEndOfEvent {
            isHoldingEvent = true
            // A failure is met again, and thrown, by the save.
            try? propagateDeletions()
            isHoldingEvent = false
        } else {
            unpropagatedDeletions += deletionsOfEvent
        }
        letGoOfUnkeptObjects()
        registerUndo()
        announce(closeEvent())
        letGoOfAbandonedInsertions()
    }

    /// Lets go of objects that were deleted before they were ever saved, after observers were told, who
    /// may still read them. The undo manager's records of them can bring them back.
    ///
    /// Those whose delete rules are left to the save stay until then, and those that an observer has
    /// changed stay until the end of that event.
    private func letGoOfAbandonedInsertions() {
        guard !abandonedInsertions.isEmpty, unpropagatedDeletions.isEmpty else { return }
        let abandoned = abandonedInsertions
        abandonedInsertions = abandoned.filter { $0.state.contains(.touched) }
        for object in abandoned where object.owner === self && object.isAbandoned {
            if object.state.contains(.touched) { continue }
            if let tombstone = tombstones.removeValue(forKey: ObjectIdentifier(object)) {
                // A new object keeps nothing outside of itself, so there is nothing that may fail.
                try? tombstone.fill(from: object, in: self)
            }
            letGo(of: object, isDeleted: true)
            tracker.noteIdle()
        }
    }

    /// Runs the body, and ends the event of the turn behind it.
    func inTurn<Result>(_ body: (ManagedObjectContext) throws -> Result) rethrows -> Result {
        readNews()
        defer { endTurn() }
        return try body(self)
    }

    private func endTurn() {
        // The end of a background save schedules another end of the turn.
        if isSavingInBackground { return }
        var rounds = 0
        while !journal.isEmpty, !isHoldingEvent, rounds < Self.eventRounds {
            processPendingChanges()
            rounds += 1
        }
        recordedUndo?.endEvent()
        letGoOfPrefetchedObjects()
    }

    // MARK: The beginning of an event

    /// Notes an object in the current event, before a change of that kind.
    func touch(_ object: ManagedObject, for change: ObjectState) {
        guard !object.state.contains(.touched) else { return }
        if object.state.remove(.touchedBefore) != nil {
            object.state.insert(.touched)
            return
        }
        beginEventIfNeeded()
        if journal.touches.isEmpty, isRecordingUndo { recordedUndo?.beginEvent() }
        let isNew = change == .inserted
        journal.touch(object, state: isNew ? .gone : object.state)
        object.state.formUnion(isNew ? [.touched, .newborn] : .touched)
    }

    /// Tells observers, with the current event, that an object's values are those of its store.
    func noteRefreshed(_ object: ManagedObject) {
        beginEventIfNeeded()
        journal.noteRefreshed(object)
    }

    /// Tells observers, with the current event, that an object lost its values.
    func noteInvalidated(_ object: ManagedObject) {
        beginEventIfNeeded()
        journal.noteInvalidated(object)
    }

    /// Tells observers, with the current event, what was merged from saves of others.
    func noteMerged(_ changes: MergedChanges) {
        if changes.all.isEmpty { return }
        beginEventIfNeeded()
        journal.noteMerged(changes)
    }

    /// Whether the changes of an event that begins now may have to be taken back.
    var recordsSteps: Bool { isHoldingEvent || isRecordingUndo }

    private func beginEventIfNeeded() {
        guard journal.isEmpty else { return }
        journal.recordsSteps = recordsSteps
        scheduleEndOfTurn()
    }

    /// Has the main queue end the turn; others end theirs themselves.
    func scheduleEndOfTurn() {
        guard concurrencyType == .mainQueue, !isEventEndScheduled else { return }
        isEventEndScheduled = true
        EventEnd.schedule { [weak self] in
            self?.isEventEndScheduled = false
            self?.endTurn()
        }
    }

    // MARK: The end of an event

    private var deletionsOfEvent: [ManagedObject] {
        journal.touches.compactMap { $0.object.awaitsDeletion ? $0.object : nil }
    }

    /// Applies the delete rules of what was deleted in the event, or linked to after it was
    /// deleted, of what earlier events left, and of what hooks delete meanwhile.
    ///
    /// - Throws: `.store`.
    func propagateDeletions() throws(GraphError) {
        var objects = unpropagatedDeletions.filter(\.awaitsDeletion) + deletionsOfEvent
        guard !objects.isEmpty else { return }
        unpropagatedDeletions = objects
        var rules = DeleteRules(self)
        while !objects.isEmpty {
            deletionsByHooks = []
            defer { deletionsByHooks = nil }
            do throws(GraphError) {
                try rules.apply(to: objects)
            } catch {
                unpropagatedDeletions += deletionsByHooks ?? []
                throw error
            }
            objects = deletionsByHooks ?? []
            unpropagatedDeletions += objects
        }
        unpropagatedDeletions = []
    }

    /// Ends the event, and returns what it changed.
    func closeEvent() -> EventChanges {
        let changes = EventChanges(journal)
        journal.clear()
        tracker.pruneIdle()
        return changes
    }

    /// Makes the context what it was before the event, and tells no one.
    func takeBackEvent() {
        takeBack(UndoRecord(eventOf: self), touches: journal.touches)
    }

    /// Makes the context what it was before an event that was noted, and tells no one.
    ///
    /// - Parameter touches: the journal's when the record was made.
    func takeBack(_ record: UndoRecord, touches: ContiguousArray<MutationJournal.Touch>) {
        journal.recordsSteps = false
        takeBack(record)
        for touch in touches where touch.state.isThere {
            touch.object.state = touch.state.union(
                touch.object.state.intersection([.tracked, .prefetched]))
        }
        for touch in touches where !touch.state.isThere && touch.object.owner === self {
            letGo(of: touch.object)
        }
        journal.clear()
    }

    /// Forgets what earlier events left to be done.
    func forgetEvents() {
        unpropagatedDeletions = []
        abandonedInsertions = []
        tombstones = [:]
        assignments = [:]
    }

    /// Tells observers, streams and notifications of an event.
    func announce(_ changes: EventChanges) {
        guard !changes.isEmpty else { return }
        for observer in observers { observer.observer?.context(self, didChange: changes) }
        if changes.hasNoObjects { return }
        streams.changes.send { ObjectIDChanges(changes) }
        postDidChange(changes)
    }

    /// Tells streams and notifications of a save.
    func announce(_ changes: SavedChanges) {
        for observer in observers { observer.observer?.context(self, didSave: changes) }
        streams.saves.send { ObjectIDChanges(changes) }
        postDidSave(changes)
    }
}
