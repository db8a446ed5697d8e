import Foundation

/// A store that a container could not open, and the reason.
public struct StoreLoadingFailure: Error, Sendable {
    /// The description that was passed to the container, unchanged.
    public var description: PersistentStoreDescription
    /// The error that kept the store from being opened.
    public var reason: GraphError

    /// Creates a failure. Containers create failures when loading stores; programs may create their own
    /// to test how they show errors.
    package init(description: PersistentStoreDescription, reason: GraphError) {
        self.description = description
        self.reason = reason
    }
}

extension StoreLoadingFailure: LocalizedError {
    /// The description of ``reason``.
    public var errorDescription: String? { reason.description }
}
