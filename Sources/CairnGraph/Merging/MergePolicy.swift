import CairnModel

/// What becomes of a save that conflicts with what others saved.
///
/// A context asks its policy when a save meets conflicts, with the context as it was before the save;
/// then it tries to save again, three times at most. A policy resolves a conflict by the
/// ``ConflictResolver``'s methods and, after them, by changing objects as it likes; or it throws, and
/// the save fails. A ``StandardMergePolicy`` does for most; a policy of one's own can resolve
/// what it knows of and leave the rest to one of them:
///
/// ```swift
/// struct HighestCount: MergePolicy {
///     func resolve(_ conflicts: [MergeConflict], with resolver: ConflictResolver) throws {
///         for conflict in conflicts {
///             try resolver.merge(conflict) { name in name == "count" ? .store : .object }
///         }
///     }
/// }
/// ```
public protocol MergePolicy: Sendable {
    /// Resolves all conflicts with changes of others that one attempt to save met.
    ///
    /// - Throws: anything; the save fails, and context and stores are as they were before it.
    func resolve(_ conflicts: [MergeConflict], with resolver: ConflictResolver) throws

    /// Resolves all clashes of unique values that one attempt to save met.
    ///
    /// - Throws: anything; the save fails, and context and stores are as they were before it.
    func resolve(_ conflicts: [ConstraintConflict], with resolver: ConflictResolver) throws
}

extension MergePolicy {
    /// Refuses: a policy that says nothing of unique values lets the save fail.
    ///
    /// - Throws: `.constraintConflicts`.
    public func resolve(_ conflicts: [ConstraintConflict], with resolver: ConflictResolver) throws {
        throw GraphError.constraintConflicts(conflicts)
    }
}

extension MergePolicy where Self == StandardMergePolicy {
    /// ``MergePolicyType/error``.
    public static var error: StandardMergePolicy { StandardMergePolicy(.error) }
    /// ``MergePolicyType/mergeByPropertyStoreTrump``.
    public static var mergeByPropertyStoreTrump: StandardMergePolicy {
        StandardMergePolicy(.mergeByPropertyStoreTrump)
    }
    /// ``MergePolicyType/mergeByPropertyObjectTrump``.
    public static var mergeByPropertyObjectTrump: StandardMergePolicy {
        StandardMergePolicy(.mergeByPropertyObjectTrump)
    }
    /// ``MergePolicyType/overwrite``.
    public static var overwrite: StandardMergePolicy { StandardMergePolicy(.overwrite) }
    /// ``MergePolicyType/rollback``.
    public static var rollback: StandardMergePolicy { StandardMergePolicy(.rollback) }
}
