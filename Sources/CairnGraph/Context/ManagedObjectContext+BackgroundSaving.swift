import CairnModel
import CairnStore
import Foundation

extension ManagedObjectContext {
    /// Saves as ``save()`` does, and leaves the main actor free while the stores are locked, written and
    /// synchronised: those steps run on the coordinator's executor.
    ///
    /// Hooks, validation and merge policies run on the main actor, as does reading the values that are
    /// saved. While the stores are written, the context shows what it showed before. Values that its
    /// objects have are read at once. A call that changes the context or one of its objects, asks a store
    /// or the parent, or saves again, first waits for the stores, and blocks the main actor until then; a
    /// change that is made so belongs to the next save. A second `saveInBackground` waits without
    /// blocking.
    ///
    /// A task that is cancelled while it waits for a store's lock saves nothing, and the context keeps its
    /// changes. Where a parent in the line of parents is a main-queue context itself, this is ``save()``.
    /// In a private-queue context use ``save()`` inside of `perform`, which leaves the main actor free.
    ///
    /// - Parameter progress: told and asked as by ``save(reporting:)``.
    /// - Throws: as ``save()``; `.saveCancelled` if the progress or the task was cancelled;
    ///   `.wrongThread` if this is no main-queue context.
    @MainActor public func saveInBackground(
        reporting progress: Progress? = nil
    ) async throws(GraphError) {
        let watch = progress.map { SaveWatch(progress: $0) }
        try await endBackgroundSaves()
        if hasMainQueueParent { return try save(watchedBy: watch) }
        guard try beginSave() else { return }
        let save = BackgroundSave(watch: watch)
        backgroundSave = save
        isHoldingEvent = true
        attempt(save)
        while save.result == nil { await advance(save) }
        try save.result?.get()
    }

    /// Whether an attempt of a background save is under way.
    var isSavingInBackground: Bool { backgroundSave?.attempt != nil }

    /// Ends the save that is under way, if there is one, before the context is changed or read from its
    /// source. Blocks the thread until the stores have saved.
    ///
    /// Hooks of the save itself do not wait: no attempt is under way when they are called.
    @inline(__always) func settle() {
        if backgroundSave != nil { settleSlowly() }
    }

    private func settleSlowly() {
        while let save = backgroundSave, let flight = save.attempt?.flight {
            // So that a cycle of waits is found. This thread owns the main queue, and waits.
            queue.ownerLock.bind(to: currentThreadNumber())
            flight.runOrWait()
            land(save)
        }
    }

    /// Lets saves end that are under way, without blocking the main actor.
    ///
    /// - Throws: `.wrongThread`.
    @MainActor func endBackgroundSaves() async throws(GraphError) {
        guard queue.isCurrent else {
            throw .wrongThread(
                context: queue.ownerLock.name,
                detail: "a call for main-queue contexts was made. Use perform")
        }
        while let save = backgroundSave, save.attempt != nil { await advance(save) }
    }

    /// Runs the present attempt, or waits for it, and takes in what became of it.
    @MainActor private func advance(_ save: BackgroundSave) async {
        guard let flight = save.attempt?.flight else { return }
        await source.executor.runWaiting { _ = flight.run() }
        await flight.ended()
        // A call that could not wait may have taken the result in already.
        if save.attempt?.flight === flight { land(save) }
    }

    /// Begins an attempt: everything up to the change set, and its rows.
    private func attempt(_ save: BackgroundSave) {
        do throws(GraphError) {
            let collected = try collectSave(watchedBy: save.watch)
            if collected.changes.isEmpty {
                let nothing = SaveResult(permanentIDs: IDReplacements(), rows: RowBatch())
                return finish(save, completeSave(collected, nothing))
            }
            let flight = SaveFlight(try PackedChanges(collected.changes, of: self), to: source)
            save.attempt = (collected, flight)
            queue.isLent = true
        } catch {
            refuse(save, error)
        }
    }

    /// Takes in what became of an attempt. After a conflict that the policy resolves, begins the next one.
    private func land(_ save: BackgroundSave) {
        guard let attempt = save.attempt, let result = attempt.flight.result else { return }
        save.attempt = nil
        queue.isLent = false
        // The turn in which the save began has ended meanwhile.
        scheduleEndOfTurn()
        switch result {
        case .success(let saved): finish(save, completeSave(attempt.collected, saved))
        case .failure(let error): refuse(save, error)
        }
    }

    private func finish(_ save: BackgroundSave, _ saved: Saved) {
        var saved = saved
        saved.add(save.resolutions)
        end(save, saved.pending.map { .failure(.savePending($0)) } ?? .success(()))
        finishSave(saved)
        readNews()
    }

    private func refuse(_ save: BackgroundSave, _ error: GraphError) {
        do throws(GraphError) {
            save.resolutions.append(
                try resolveConflicts(in: error, after: save.resolutions.count))
        } catch {
            takeBack(save.resolutions)
            end(save, .failure(error))
            return readNews()
        }
        attempt(save)
    }

    private func end(_ save: BackgroundSave, _ result: Result<Void, GraphError>) {
        isHoldingEvent = false
        backgroundSave = nil
        save.result = result
    }

    /// Whether a save would need the main queue, which may be blocked.
    private var hasMainQueueParent: Bool {
        var next = parentHandle
        while let parent = next {
            if parent.isMainQueue { return true }
            next = parent.parent
        }
        return false
    }
}

extension ChangeSet {
    /// Whether there is nothing to save.
    var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && pairs.isEmpty
            && !handsOverTransients
    }
}
