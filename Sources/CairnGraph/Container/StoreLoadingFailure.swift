import Foundation

/// A store that a container could not open, and why.
public struct StoreLoadingFailure: Error, Sendable {
    /// What was asked to be opened; nothing in it was changed.
    public var description: PersistentStoreDescription
    /// Why it could not be.
    public var reason: GraphError

    /// Made by the container's loading; tests of a program's own error screens may make others.
    public init(description: PersistentStoreDescription, reason: GraphError) {
        self.description = description
        self.reason = reason
    }
}

extension StoreLoadingFailure: LocalizedError {
    /// The description of ``reason``.
    public var errorDescription: String? { reason.description }
}
