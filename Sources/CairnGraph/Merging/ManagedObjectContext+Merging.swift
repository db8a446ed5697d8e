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
    private struct Resolution {
        let event: EventChanges
        let record: UndoRecord
        let touches: ContiguousArray<MutationJournal.Touch>
        let mementos: [ObjectMemento]
    }

    /// Saves; asks the merge policy about conflicts, and saves again. What fails in the end leaves
    /// the context as it was. All of it is one event for observers, who are not told here.
    func saveResolvingConflicts(watchedBy watch: SaveWatch?) throws(GraphError) -> Saved {
        isHoldingEvent = true
        defer { isHoldingEvent = false }
        var resolutions: [Resolution] = []
        do throws(GraphError) {
            while true {
                switch try attemptSave(watchedBy: watch) {
                case .saved(var saved):
                    saved.events = resolutions.map(\.event) + saved.events
                    return saved
                case .refused(let conflicts):
                    if resolutions.count == Self.mostRetries { throw conflicts.error }
                    resolutions.append(try resolve(conflicts))
                }
            }
        } catch {
            for resolution in resolutions.reversed() { takeBack(resolution) }
            tracker.prune()
            throw error
        }
    }

    private enum Attempt {
        case saved(Saved)
        case refused(SaveConflicts)
    }

    /// Saves once. A save that fails or meets conflicts leaves the context as it was.
    private func attemptSave(watchedBy watch: SaveWatch?) throws(GraphError) -> Attempt {
        do throws(GraphError) {
            return .saved(try saveChanges(watchedBy: watch))
        } catch {
            // Found before anything is taken back: what the save would have done is part of them.
            defer {
                takeBackEvent()
                tracker.prune()
            }
            return .refused(try conflicts(in: error))
        }
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
        defer { mementos = [] }
        return Resolution(
            event: closeEvent(), record: record, touches: touches, mementos: mementos)
    }

    private func takeBack(_ resolution: Resolution) {
        takeBack(resolution.record, touches: resolution.touches)
        for memento in resolution.mementos.reversed() { memento.restore() }
    }
}
