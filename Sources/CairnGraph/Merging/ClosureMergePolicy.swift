import CairnModel

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
