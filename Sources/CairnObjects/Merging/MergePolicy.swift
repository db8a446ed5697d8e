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

/// The ways in which a ``StandardMergePolicy`` resolves conflicts. They are the same five as in Core
/// Data.
public enum MergePolicyType: Sendable, Hashable {
    /// The save fails with an error that contains every conflict. This is the policy of a new context.
    case error
    /// Merges each property separately. If both sides changed a property, the stored value is used.
    case mergeByPropertyStoreTrump
    /// Merges each property separately. If both sides changed a property, the context's value is used.
    case mergeByPropertyObjectTrump
    /// The context's version of the object replaces the stored version.
    case overwrite
    /// The context's changes to the object are discarded.
    case rollback
}

/// A merge policy that calls a closure, for cases that need no type of their own.
public struct ClosureMergePolicy: MergePolicy {
    private let merges: @Sendable ([MergeConflict], ConflictResolver) throws -> Void
    private let constraints: any MergePolicy

    /// Creates a policy that calls a closure.
    ///
    /// - Parameters:
    ///   - constraints: The policy that resolves conflicts of unique values and of references.
    ///   - merges: A closure that resolves conflicts with changes of others.
    public init(
        constraints: any MergePolicy = .error,
        _ merges: @escaping @Sendable ([MergeConflict], ConflictResolver) throws -> Void
    ) {
        self.merges = merges
        self.constraints = constraints
    }

    /// Calls the closure.
    ///
    /// - Throws: The error that the closure throws.
    public func resolve(_ conflicts: [MergeConflict], with resolver: ConflictResolver) throws {
        try merges(conflicts, resolver)
    }

    /// Passes the conflicts to the policy for unique values.
    ///
    /// - Throws: The error that the policy throws.
    public func resolve(_ conflicts: [ReferenceConflict], with resolver: ConflictResolver) throws {
        try constraints.resolve(conflicts, with: resolver)
    }

    /// Passes the conflicts to the policy for unique values.
    ///
    /// - Throws: The error that the policy throws.
    public func resolve(_ conflicts: [ConstraintConflict], with resolver: ConflictResolver) throws {
        try constraints.resolve(conflicts, with: resolver)
    }
}

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
