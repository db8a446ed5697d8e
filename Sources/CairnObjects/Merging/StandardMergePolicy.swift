import CairnModel
import CairnStack
import CairnStore

/// A merge policy that resolves conflicts in one of the five ways of Core Data.
public struct StandardMergePolicy: MergePolicy, Hashable {
    /// The way in which conflicts are resolved.
    public let mergeType: MergePolicyType

    /// Creates a policy that resolves conflicts in the given way.
    public init(_ mergeType: MergePolicyType) {
        self.mergeType = mergeType
    }

    /// Resolves each conflict as determined by ``mergeType``.
    ///
    /// - Throws: `.mergeConflicts` if the type is ``MergePolicyType/error``; `.store`, `.objectGone`.
    public func resolve(_ conflicts: [MergeConflict], with resolver: ConflictResolver) throws {
        if mergeType == .error { throw GraphError.mergeConflicts(conflicts) }
        for conflict in conflicts {
            switch mergeType {
            case .error, .overwrite: try resolver.overwrite(conflict)
            case .mergeByPropertyStoreTrump: try resolver.merge(conflict) { _ in .store }
            case .mergeByPropertyObjectTrump: try resolver.merge(conflict) { _ in .object }
            case .rollback: try resolver.discard(conflict)
            }
        }
    }

    /// Resolves each conflict of references as determined by ``mergeType``: the context's changes are carried
    /// out with the objects that were found, or given up.
    ///
    /// - Throws: `.referenceConflicts` if the type is ``MergePolicyType/error``, or if an object that others
    ///   deleted cannot be stored again; `.store`, `.objectGone`.
    public func resolve(_ conflicts: [ReferenceConflict], with resolver: ConflictResolver) throws {
        if mergeType == .error { throw GraphError.referenceConflicts(conflicts) }
        for conflict in conflicts {
            switch mergeType {
            case .error, .overwrite, .mergeByPropertyObjectTrump: try resolver.overwrite(conflict)
            case .mergeByPropertyStoreTrump, .rollback: try resolver.discard(conflict)
            }
        }
    }

    /// Resolves each conflict of unique values as determined by ``mergeType``.
    ///
    /// - Throws: `.constraintConflicts` if the type is ``MergePolicyType/error``; `.store`,
    ///   `.objectGone`.
    public func resolve(_ conflicts: [ConstraintConflict], with resolver: ConflictResolver) throws {
        if mergeType == .error { throw GraphError.constraintConflicts(conflicts) }
        for conflict in conflicts {
            switch mergeType {
            case .error, .overwrite: try resolver.replace(conflict)
            case .mergeByPropertyStoreTrump:
                try resolver.keepStored(conflict, keepingOtherChanges: true)
            case .mergeByPropertyObjectTrump: try resolver.mergeIntoStored(conflict)
            case .rollback: try resolver.keepStored(conflict, keepingOtherChanges: false)
            }
        }
    }
}
