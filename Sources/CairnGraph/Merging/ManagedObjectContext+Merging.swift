import CairnModel
import CairnStore

/// What one attempt to save met.
private enum SaveConflicts {
    case merge([MergeConflict])
    case constraint([ConstraintConflict])

    var error: GraphError {
        switch self {
        case .merge(let conflicts): .mergeConflicts(conflicts)
        case .constraint(let conflicts): .constraintConflicts(conflicts)
        }
    }

    /// The objects that a policy decides about.
    var objectIDs: [ObjectID] {
        switch self {
        case .merge(let conflicts): conflicts.map(\.objectID)
        case .constraint(let conflicts):
            conflicts.flatMap { $0.conflictingObjects + ($0.databaseObject.map { [$0] } ?? []) }
        }
    }
}

extension ManagedObjectContext {
    /// How often a save is tried again after its conflicts were resolved: each attempt may meet what
    /// others saved meanwhile.
    private static let mostRetries = 3

    /// How conflicts were resolved, to be told when the save succeeds, or taken back when it fails.
    struct Resolution {
        let event: EventChanges
        let record: UndoRecord
        let touches: ContiguousArray<MutationJournal.Touch>
        let mementos: [ObjectMemento]
        let upserts: [Upsert]
    }

    /// Saves; asks the merge policy about conflicts, and saves again. What fails in the end leaves
    /// the context as it was. All of it is one event for observers, who are not told here.
    func saveResolvingConflicts(
        watchedBy watch: SaveWatch?, named id: SaveID? = nil
    ) throws(GraphError) -> Saved {
        isHoldingEvent = true
        defer { isHoldingEvent = false }
        var resolutions: [Resolution] = []
        do throws(GraphError) {
            while true {
                do throws(GraphError) {
                    var saved = try saveChanges(watchedBy: watch, named: id)
                    saved.add(resolutions)
                    return saved
                } catch {
                    resolutions.append(try resolveConflicts(in: error, after: resolutions.count))
                }
            }
        } catch {
            takeBack(resolutions)
            throw error
        }
    }

    /// Makes the context what it was before conflicts were resolved.
    func takeBack(_ resolutions: [Resolution]) {
        for resolution in resolutions.reversed() { takeBack(resolution) }
        tracker.prune()
    }

    /// Makes the context what it was before an attempt to save that failed, and has the merge policy
    /// resolve the conflicts that it met.
    ///
    /// - Parameter count: how often conflicts of the save were resolved before.
    /// - Throws: the error, where it is about something else; the conflicts, where the policy does not
    ///   resolve them.
    func resolveConflicts(
        in error: GraphError, after count: Int
    ) throws(GraphError) -> Resolution {
        let met = try takingBackEvent { () throws(GraphError) in try conflicts(in: error) }
        if count == Self.mostRetries { throw met.error }
        return try resolve(met)
    }

    /// Takes back what an attempt did after the body has looked at it: that is part of conflicts.
    private func takingBackEvent<Value>(
        _ body: () throws(GraphError) -> Value
    ) throws(GraphError) -> Value {
        defer {
            takeBackEvent()
            tracker.prune()
        }
        return try body()
    }

    /// - Throws: the error, where it is about something else.
    private func conflicts(in error: GraphError) throws(GraphError) -> SaveConflicts {
        let finder = ConflictFinder(context: self)
        switch error {
        case .store(.rowConflicts(let found)): return .merge(try finder.mergeConflicts(found))
        case .store(.uniquenessConflicts(let found)):
            return .constraint(try finder.constraintConflicts(found))
        default: throw error
        }
    }

    /// Has the policy resolve conflicts; where it throws, the context is as it was before.
    private func resolve(_ conflicts: SaveConflicts) throws(GraphError) -> Resolution {
        var failure: GraphError?
        let resolver = ConflictResolver(self)
        do {
            switch conflicts {
            case .merge(let found): try mergePolicy.resolve(found, with: resolver)
            case .constraint(let found): try mergePolicy.resolve(found, with: resolver)
            }
        } catch let error as GraphError {
            failure = error
        } catch {
            failure = .mergePolicyFailed(error)
        }
        let resolution = closeResolution()
        if let failure {
            takeBack(resolution)
            throw failure
        }
        for id in conflicts.objectIDs {
            guard let object = registeredObject(for: id), !object.isDeleted else { continue }
            object.awakeFromSnapshotEvents(.mergePolicy)
        }
        return resolution
    }

    private func closeResolution() -> Resolution {
        let record = UndoRecord(eventOf: self)
        let touches = journal.touches
        defer {
            mementos = []
            upserts = []
        }
        return Resolution(
            event: closeEvent(), record: record, touches: touches, mementos: mementos,
            upserts: upserts)
    }

    private func takeBack(_ resolution: Resolution) {
        takeBack(resolution.record, touches: resolution.touches)
        for memento in resolution.mementos.reversed() { memento.restore() }
    }
}
