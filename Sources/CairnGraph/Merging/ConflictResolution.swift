import CairnModel
import CairnStore

/// How the conflicts of one attempt to save were resolved: to be told to observers if the save succeeds,
/// or taken back if it fails.
struct ConflictResolution {
    /// How often a save is tried again after its conflicts were resolved: each attempt may meet what
    /// others saved meanwhile.
    private static let mostResolutions = 3

    /// What resolving changed.
    let event: EventChanges
    let record: ResolutionRecord
    private let undoRecord: UndoRecord
    private let touches: ContiguousArray<MutationJournal.Touch>

    /// Makes the context what it was before an attempt to save that failed, and has its merge policy
    /// resolve the conflicts that the attempt met.
    ///
    /// - Parameter count: how often conflicts of the save were resolved before.
    /// - Throws: the error, if it is about something else; the conflicts, if the policy does not
    ///   resolve them, or the save met conflicts too often. The context is then as it was before the
    ///   attempt.
    init(
        of error: GraphError, in context: ManagedObjectContext, after count: Int
    ) throws(GraphError) {
        let met: SaveConflicts
        do {
            // The conflicts show what the attempt did, which is taken back after that.
            defer {
                context.events.takeBack()
                context.tracker.prune()
            }
            met = try SaveConflicts(in: error, of: context)
        }
        if count == Self.mostResolutions { throw met.error }
        try self.init(resolving: met, in: context)
    }

    /// Has the policy resolve conflicts. If it throws, the context is as it was before.
    private init(
        resolving conflicts: SaveConflicts, in context: ManagedObjectContext
    ) throws(GraphError) {
        record = ResolutionRecord()
        let failure = conflicts.resolve(
            by: context.mergePolicy, with: ConflictResolver(context, recordingIn: record))
        undoRecord = UndoRecord(eventOf: context)
        touches = context.events.journal.touches
        event = context.events.close()
        if let failure {
            takeBack(in: context)
            throw failure
        }
        for id in conflicts.objectIDs {
            guard let object = context.registeredObject(for: id), !object.isDeleted else {
                continue
            }
            object.awakeFromSnapshotEvents(.mergePolicy)
        }
    }

    /// Makes the context what it was before the conflicts were resolved.
    func takeBack(in context: ManagedObjectContext) {
        context.events.takeBack(undoRecord, touches: touches)
        record.restoreObjects()
    }
}
