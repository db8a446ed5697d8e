import CairnModel
import CairnStack
import CairnStore

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
