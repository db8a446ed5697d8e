import CairnModel

/// The state that a context's saves share: their settings, and the current save.
final class SavingState {
    /// How a save resolves conflicts with the changes of others.
    var mergePolicy: any MergePolicy = .error
    /// The author of changes, which is recorded in the store's history.
    var author: String?
    /// Whether saves check the model's rules.
    var validates = true
    /// The stores that the program assigned to new objects, and those to which it moves others.
    var assignments: [ManagedObject: StoreNumber] = [:]
    /// The number of saves that the context has made. A comparison of two readings shows whether a save
    /// took place in between.
    private(set) var count = 0
    /// The save that is writing to stores on another thread. `nil` if there is no such save.
    var background: BackgroundSave?

    /// Whether an attempt of a background save is running.
    var isSavingInBackground: Bool { background?.attempt != nil }

    /// Notes that a save was made.
    func noteSave() { count += 1 }

    /// Whether the end of a turn with unsaved changes is still to be said.
    var notesUnsavedChanges = true

    /// Says in the log, once in the life of the context, that a turn of the program ended with unsaved changes,
    /// because a forgotten save would otherwise not be noticed while the context exists.
    func noteEndOfTurn(of context: ManagedObjectContext) {
        guard notesUnsavedChanges, context.concurrencyType == .privateQueue, background == nil,
            context.hasChanges
        else { return }
        notesUnsavedChanges = false
        let tracker = context.tracker
        context.kinds.failures.monitor?.noteUnsavedChanges(
            of: context.queue.ownerLock.name, inserted: tracker.inserted.count,
            updated: tracker.updated.count, deleted: tracker.deleted.count)
    }
}
