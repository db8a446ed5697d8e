import Cairn

/// A request of a client to the server.
public enum Request: Sendable, Hashable {
    /// Returns the total number of writes to consecutive accounts.
    case read(first: Int64, count: Int64)
    /// Returns the number of accounts that were written at least once.
    case countWritten
    /// Adds a write to an account.
    case write(account: Int64)

    /// Whether the request changes the store.
    public var isWrite: Bool {
        if case .write = self { true } else { false }
    }
}

/// The reason for which the server refused a request.
public enum RequestError: Error, Hashable {
    /// Too many requests are waiting. The client should try again later.
    case busy
    /// The server is shutting down.
    case closed
    /// The account does not exist.
    case noAccount(Int64)
}

/// A kind of failed request, for statistics.
public enum FailureKind: String, Sendable, Hashable, Codable, CaseIterable {
    /// The deadline passed or the server shut down, and nothing was done.
    case cancelled
    /// Too many requests were waiting.
    case busy
    /// The server was shut down.
    case closed
    /// Other requests changed the account at the same time, repeatedly.
    case conflict
    /// Any other failure, which is an error in the program.
    case other

    /// Classifies an error of the server.
    public init(_ error: any Error) {
        switch error {
        case is CancellationError: self = .cancelled
        case GraphError.saveCancelled, GraphError.fetchCancelled, GraphError.waitCancelled:
            self = .cancelled
        case GraphError.mergeConflicts: self = .conflict
        case RequestError.busy: self = .busy
        case RequestError.closed: self = .closed
        default: self = .other
        }
    }
}
