import CairnModel

/// One of the five policies of Core Data.
public struct StandardMergePolicy: MergePolicy, Hashable {
    /// What counts.
    public let mergeType: MergePolicyType

    /// A policy that lets that count.
    public init(_ mergeType: MergePolicyType) {
        self.mergeType = mergeType
    }

    /// Resolves each conflict as ``mergeType`` says.
    ///
    /// - Throws: `.mergeConflicts` of ``MergePolicyType/error``; `.store`, `.objectGone`.
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

    /// Resolves each clash as ``mergeType`` says.
    ///
    /// - Throws: `.constraintConflicts` of ``MergePolicyType/error``; `.store`, `.objectGone`.
    public func resolve(_ conflicts: [ConstraintConflict], with resolver: ConflictResolver) throws {
        if mergeType == .error { throw GraphError.constraintConflicts(conflicts) }
        for conflict in conflicts {
            switch mergeType {
            case .error, .overwrite: try resolver.replace(conflict)
            case .mergeByPropertyStoreTrump: try resolver.giveWay(conflict, keepsOthers: true)
            case .mergeByPropertyObjectTrump: try resolver.unite(conflict)
            case .rollback: try resolver.giveWay(conflict, keepsOthers: false)
            }
        }
    }
}
