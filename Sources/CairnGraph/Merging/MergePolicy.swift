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

/// What a ``StandardMergePolicy`` lets count: Core Data's five.
public enum MergePolicyType: Sendable, Hashable {
    /// The save fails and lists every conflict. The policy of a new context.
    case error
    /// Property by property; where both sides changed one, the stored value counts.
    case mergeByPropertyStoreTrump
    /// Property by property; where both sides changed one, the context's value counts.
    case mergeByPropertyObjectTrump
    /// The object as the context has it replaces the stored one.
    case overwrite
    /// The context's changes to the object are forgotten.
    case rollback
}

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

/// A policy made of a function, for a case that needs no type of its own.
public struct ClosureMergePolicy: MergePolicy {
    private let merges: @Sendable ([MergeConflict], ConflictResolver) throws -> Void
    private let constraints: any MergePolicy

    /// - Parameters:
    ///   - constraints: resolves clashes of unique values.
    ///   - merges: resolves conflicts with changes of others.
    public init(
        constraints: any MergePolicy = .error,
        _ merges: @escaping @Sendable ([MergeConflict], ConflictResolver) throws -> Void
    ) {
        self.merges = merges
        self.constraints = constraints
    }

    /// Calls the function.
    ///
    /// - Throws: what it throws.
    public func resolve(_ conflicts: [MergeConflict], with resolver: ConflictResolver) throws {
        try merges(conflicts, resolver)
    }

    /// Asks the policy for unique values.
    ///
    /// - Throws: what that throws.
    public func resolve(_ conflicts: [ConstraintConflict], with resolver: ConflictResolver) throws {
        try constraints.resolve(conflicts, with: resolver)
    }
}
