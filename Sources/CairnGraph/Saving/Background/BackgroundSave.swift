import CairnModel
import CairnStore

/// A save of a main-queue context whose stores are written on a thread of the executor.
///
/// Everything but the writing runs in the context's turns, on the main queue.
final class BackgroundSave {
    private let context: ManagedObjectContext
    private let save: ContextSave
    /// What the present attempt saves, or `nil` if no attempt is under way.
    private(set) var attempt: (collected: ContextSave.Collected, flight: SaveFlight)?
    /// How the save ended, or `nil` if it has not ended yet.
    private var result: Result<Void, GraphError>?

    init(_ save: ContextSave, of context: ManagedObjectContext) {
        self.context = context
        self.save = save
    }

    /// Saves, and leaves the main actor free while the stores are written.
    ///
    /// - Throws: see ``ManagedObjectContext/saveInBackground(reporting:)``.
    @MainActor func run() async throws(GraphError) {
        context.savingState.background = self
        context.events.isHeld = true
        beginAttempt()
        while result == nil { await advance() }
        try result?.get()
    }

    /// Ends the attempts that are under way. Blocks the thread, which is in the context's turn, until the
    /// stores have saved.
    ///
    /// Hooks of the save itself do not wait: no attempt is under way when they are called.
    func settle() {
        while let flight = attempt?.flight {
            // So that a cycle of waits is found. This thread owns the main queue, and waits.
            context.queue.ownerLock.bind(to: TurnOwner.runningThread)
            flight.runOrWait()
            land()
        }
    }

    /// Runs the present attempt, or waits for it, and takes in what became of it.
    @MainActor func advance() async {
        guard let flight = attempt?.flight else { return }
        await context.source.executor.runWaiting { _ = flight.run() }
        await flight.ended()
        // A call that could not wait may have taken the result in already.
        if attempt?.flight === flight { land() }
    }

    /// Begins an attempt: everything up to the change set, and its rows.
    private func beginAttempt() {
        do throws(GraphError) {
            let collected = try save.collect()
            if collected.changes.isEmpty {
                return finish(save.complete(collected, .nothing))
            }
            let objects = try PackedObjects(collected.changes, of: context)
            attempt = (
                collected, SaveFlight(collected.changes, of: objects, to: context.source)
            )
            context.queue.isLent = true
        } catch {
            refuse(error)
        }
    }

    /// Takes in what became of an attempt. After a conflict that the policy resolves, begins the next one.
    private func land() {
        guard let (collected, flight) = attempt, let result = flight.result else { return }
        attempt = nil
        context.queue.isLent = false
        // The turn in which the save began has ended meanwhile.
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
        do throws(GraphError) {
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
