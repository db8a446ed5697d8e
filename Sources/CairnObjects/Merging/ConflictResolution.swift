import CairnModel
import CairnStack

/// The result of resolving the conflicts of one attempt to save. It is reported to observers if the save
/// succeeds, and reverted if the save fails.
struct ConflictResolution {
    /// The maximum number of times that a save is repeated after its conflicts were resolved. Each
    /// attempt may encounter changes that others have saved in the meantime.
    private static let mostResolutions = 3

    /// The changes that were made to resolve the conflicts.
    let event: EventChanges
    let record: ResolutionRecord
    private let undoRecord: UndoRecord
    private let touches: ContiguousArray<MutationJournal.Touch>

    /// Restores the context to its state before a failed attempt to save, and makes its merge policy
    /// resolve the conflicts of the attempt.
    ///
    /// - Parameter count: How many times conflicts of this save were resolved before.
    /// - Throws: `error` if it is not about conflicts; the conflicts if the policy does not resolve them
    ///   or the maximum number of attempts is reached. The context is then as it was before the attempt.
    init(
        of error: GraphError, in context: ManagedObjectContext, after count: Int
    ) throws(GraphError) {
        let met: SaveConflicts
        do {
            // The conflicts contain what the attempt did, so they are read before the attempt is
            // reverted.
            defer {
                context.events.revert()
                context.tracker.prune()
            }
            met = try SaveConflicts(in: error, of: context)
        }
        if count == Self.mostResolutions { throw met.error }
        try self.init(resolving: met, in: context)
    }

    /// Makes the policy resolve conflicts. If it throws, the context is restored to its previous state.
    private init(
        resolving conflicts: SaveConflicts, in context: ManagedObjectContext
    ) throws(GraphError) {
        record = ResolutionRecord()
        // Resolving one conflict may change the objects of another one before these are recorded.
        for id in conflicts.objectIDs {
            if let object = context.registeredObject(for: id) { record.add(ObjectMemento(object)) }
        }
        let failure = conflicts.resolve(
            by: context.mergePolicy, with: ConflictResolver(context, recordingIn: record))
        undoRecord = UndoRecord(eventOf: context)
        touches = context.events.journal.touches
        event = context.events.close()
        if let failure {
            revert(in: context)
            throw failure
        }
        for id in conflicts.objectIDs {
            guard let object = context.registeredObject(for: id), !object.isDeleted else {
                continue
            }
            object.awakeFromSnapshotEvents(.mergePolicy)
        }
    }

    /// Restores the context to its state before the conflicts were resolved.
    func revert(in context: ManagedObjectContext) {
        context.events.revert(undoRecord, touches: touches)
        record.restoreObjects()
    }
}
