import CairnModel
import CairnStack

/// A save of a main-queue context that writes to the stores on a thread of the executor.
///
/// Everything else runs in the context's turns, on the main queue.
final class BackgroundSave {
    private let context: ManagedObjectContext
    private let save: ContextSave
    /// The current attempt and the changes that it saves, or `nil` if no attempt is running.
    private(set) var attempt: (collected: ContextSave.Collected, flight: SaveAttempt)?
    /// The result of the save, or `nil` if the save has not ended yet.
    private var result: Result<Void, GraphError>?

    init(_ save: ContextSave, of context: ManagedObjectContext) {
        self.context = context
        self.save = save
    }

    /// Saves without blocking the main actor while the stores are written.
    ///
    /// - Throws: see ``ManagedObjectContext/saveInBackground(reporting:)``.
    @MainActor func run() async throws(GraphError) {
        context.savingState.background = self
        context.events.isHeld = true
        beginAttempt()
        while result == nil { await advance() }
        try result?.get()
    }

    /// Waits for the current attempts to end. Blocks the calling thread, which is in the context's turn,
    /// until the stores have saved.
    ///
    /// The hooks of the save itself do not wait, because no attempt is running when they are called.
    func settle() {
        while let flight = attempt?.flight {
            // Allows a cycle of waits to be detected: this thread owns the main queue, and waits.
            context.queue.ownerLock.bind(to: TurnOwner.runningThread)
            flight.runOrWait()
            processResult()
        }
    }

    /// Runs the current attempt, or waits for it, and then processes its result.
    @MainActor func advance() async {
        guard let flight = attempt?.flight else { return }
        await context.source.executor.runWaiting { _ = flight.run() }
        await flight.ended()
        // A call that could not wait may already have processed the result.
        if attempt?.flight === flight { processResult() }
    }

    /// Begins an attempt. This includes everything up to the change set and its rows.
    private func beginAttempt() {
        do {
            let collected = try save.collect()
            if collected.changes.isEmpty {
                return finish(save.complete(collected, .nothing))
            }
            let objects = try PackedObjects(collected.changes, of: context)
            attempt = (
                collected, SaveAttempt(collected.changes, of: objects, to: context.source)
            )
            context.queue.isSavingOnOtherThread = true
        } catch {
            refuse(error)
        }
    }

    /// Processes the result of an attempt. If the merge policy resolves a conflict, begins the next
    /// attempt.
    private func processResult() {
        guard let (collected, flight) = attempt, let result = flight.result else { return }
        attempt = nil
        context.queue.isSavingOnOtherThread = false
        // The turn in which the save began has ended in the meantime.
        context.events.scheduleEndOfTurn()
        switch result {
        case .success(let saved): finish(save.complete(collected, saved))
        case .failure(let error): refuse(error)
        }
    }

    private func finish(_ completed: CompletedSave) {
        end(completed.pending.map { .failure(.savePending($0)) } ?? .success(()))
        save.finish(completed)
        context.remoteChanges.read()
    }

    private func refuse(_ error: GraphError) {
        do {
            try save.resolveConflicts(in: error)
        } catch {
            end(.failure(error))
            return context.remoteChanges.read()
        }
        beginAttempt()
    }

    private func end(_ result: Result<Void, GraphError>) {
        context.events.isHeld = false
        context.savingState.background = nil
        self.result = result
    }
}
