import CairnModel
import CairnStack
import CairnStore

/// Determines how a save that conflicts with other saves is resolved.
///
/// When a save has conflicts, the context restores its state before the save, calls its policy, and then
/// tries to save again, at most three times. A policy resolves a conflict with the methods of
/// ``ConflictResolver``, and may then change objects in any way. If it throws an error, the save fails.
/// A ``StandardMergePolicy`` is sufficient for most programs. A custom policy can resolve some conflicts
/// itself and leave the others to a standard policy:
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
    /// Resolves all conflicts with changes of others in one attempt to save.
    ///
    /// - Throws: Any error. The save then fails, and the context and the stores are as they were before
    ///   it.
    func resolve(_ conflicts: [MergeConflict], with resolver: ConflictResolver) throws

    /// Resolves all conflicts of references in one attempt to save: relationships that the save would break,
    /// because others saved after the context read its objects. The members of a denied deletion are never
    /// passed: the save then fails with `.validation`.
    ///
    /// - Throws: Any error. The save then fails, and the context and the stores are as they were before
    ///   it.
    func resolve(_ conflicts: [ReferenceConflict], with resolver: ConflictResolver) throws

    /// Resolves all conflicts of unique values in one attempt to save.
    ///
    /// - Throws: Any error. The save then fails, and the context and the stores are as they were before
    ///   it.
    func resolve(_ conflicts: [ConstraintConflict], with resolver: ConflictResolver) throws
}

extension MergePolicy {
    /// Lets the save fail. This is the default for policies that do not handle references.
    ///
    /// - Throws: `.referenceConflicts`.
    public func resolve(_ conflicts: [ReferenceConflict], with resolver: ConflictResolver) throws {
        throw GraphError.referenceConflicts(conflicts)
    }

    /// Lets the save fail. This is the default for policies that do not handle unique values.
    ///
    /// - Throws: `.constraintConflicts`.
    public func resolve(_ conflicts: [ConstraintConflict], with resolver: ConflictResolver) throws {
        throw GraphError.constraintConflicts(conflicts)
    }
}

extension MergePolicy where Self == StandardMergePolicy {
    /// A policy of type ``MergePolicyType/error``.
    public static var error: StandardMergePolicy { StandardMergePolicy(.error) }
    /// A policy of type ``MergePolicyType/mergeByPropertyStoreTrump``.
    public static var mergeByPropertyStoreTrump: StandardMergePolicy {
        StandardMergePolicy(.mergeByPropertyStoreTrump)
    }
    /// A policy of type ``MergePolicyType/mergeByPropertyObjectTrump``.
    public static var mergeByPropertyObjectTrump: StandardMergePolicy {
        StandardMergePolicy(.mergeByPropertyObjectTrump)
    }
    /// A policy of type ``MergePolicyType/overwrite``.
    public static var overwrite: StandardMergePolicy { StandardMergePolicy(.overwrite) }
    /// A policy of type ``MergePolicyType/rollback``.
    public static var rollback: StandardMergePolicy { StandardMergePolicy(.rollback) }
}
