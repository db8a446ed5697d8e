import CairnModel
import CairnStore

/// The conflicts that one attempt to save met. They are of one of the two kinds.
///
/// Another kind is a case here, of `StoreError` and of `GraphError`, and a method of ``MergePolicy``. The compiler
/// does not ask for it in `CoordinatedSave.prepare`, which gathers the conflicts of all stores, in
/// `HandedChangesReceiver`, which finds those of a child, and in `JournalReplay`. Each engine finds it in
/// its `Saving/`; the promise and the kit's rule are in `docs/contract-promises.md` and `ConflictRules`.
enum SaveConflicts {
    case merge([MergeConflict])
    case constraint([ConstraintConflict])

    /// - Throws: the error, if it is about something else.
    init(in error: GraphError, of context: ManagedObjectContext) throws(GraphError) {
        let finder = ConflictFinder(context: context)
        switch error {
        case .store(.rowConflicts(let found)): self = .merge(try finder.mergeConflicts(found))
        case .store(.uniquenessConflicts(let found)):
            self = .constraint(try finder.constraintConflicts(found))
        default: throw error
        }
    }

    /// The error of a save that ends with these conflicts.
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

    /// Has a policy resolve the conflicts. Returns the error with which it ended, if it did.
    func resolve(by policy: any MergePolicy, with resolver: ConflictResolver) -> GraphError? {
        do {
            switch self {
            case .merge(let conflicts): try policy.resolve(conflicts, with: resolver)
            case .constraint(let conflicts): try policy.resolve(conflicts, with: resolver)
            }
            return nil
        } catch let error as GraphError {
            return error
        } catch {
            return .mergePolicyFailed(error)
        }
    }
}
