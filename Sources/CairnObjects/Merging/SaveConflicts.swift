import CairnModel
import CairnStack
import CairnStore

/// The conflicts of one attempt to save. All of them are of one kind.
///
/// A new kind of conflict needs a case here, in `StoreError` and in `GraphError`, and a method of
/// ``MergePolicy``. The compiler does not point out these other parts of the code:
/// `CoordinatedSave.prepare`, which collects the conflicts of all stores; `ChildChangesReceiver`, which
/// finds the conflicts of a child; and `OpenedParticipants`, which replays journals. Each engine detects
/// conflicts of rows and unique values in its `Saving/`; `BrokenReferences` detects those of references. The
/// contract is described in `docs/contract-promises.md` and checked by `ConflictRules`.
enum SaveConflicts {
    case merge([MergeConflict])
    case reference([ReferenceConflict])
    case constraint([ConstraintConflict])

    /// - Throws: `error` if it is not about conflicts.
    init(in error: GraphError, of context: ManagedObjectContext) throws(GraphError) {
        let finder = ConflictFinder(context: context)
        switch error {
        case .store(.rowConflicts(let found)): self = .merge(try finder.mergeConflicts(found))
        case .store(.referenceConflicts(let found)):
            self = .reference(finder.referenceConflicts(found))
        case .store(.uniquenessConflicts(let found)):
            self = .constraint(try finder.constraintConflicts(found))
        default: throw error
        }
    }

    /// The error of a save that fails because of these conflicts.
    var error: GraphError {
        switch self {
        case .merge(let conflicts): .mergeConflicts(conflicts)
        case .reference(let conflicts): .referenceConflicts(conflicts)
        case .constraint(let conflicts): .constraintConflicts(conflicts)
        }
    }

    /// The objects that a policy decides about.
    var objectIDs: [ObjectID] {
        switch self {
        case .merge(let conflicts): conflicts.map(\.objectID)
        case .reference(let conflicts): conflicts.flatMap { [$0.object] + $0.members }
        case .constraint(let conflicts):
            conflicts.flatMap { $0.conflictingObjects + ($0.databaseObject.map { [$0] } ?? []) }
        }
    }

    /// Makes a policy resolve the conflicts. Returns the error that the policy throws, or `nil`.
    func resolve(by policy: any MergePolicy, with resolver: ConflictResolver) -> GraphError? {
        do {
            switch self {
            case .merge(let conflicts): try policy.resolve(conflicts, with: resolver)
            case .reference(let conflicts):
                try resolver.requireNoDenials(conflicts)
                try policy.resolve(conflicts, with: resolver)
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
