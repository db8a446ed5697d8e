import Cairn

/// What a client asks the server for.
public enum Request: Sendable, Hashable {
    /// The sum of the writes of some accounts that follow each other.
    case read(first: Int64, count: Int64)
    /// How many accounts were written at all.
    case countWritten
    /// One more write of an account.
    case write(account: Int64)

    /// Whether the request changes the store.
    public var isWrite: Bool {
        if case .write = self { true } else { false }
    }
}

/// Why the server did not do what it was asked for.
public enum RequestError: Error, Hashable {
    /// More requests wait than the server takes: to be asked again later.
    case busy
    /// The server shuts down.
    case closed
    /// There is no such account.
    case noAccount(Int64)
}

/// A kind of failed request, to count.
public enum FailureKind: String, Sendable, Hashable, Codable, CaseIterable {
    /// The deadline passed or the server shut down, and nothing was done.
    case cancelled
    /// The server had no room for the request.
    case busy
    /// The server was shut down.
    case closed
    /// Others changed the account at the same time, again and again.
    case conflict
    /// Anything else: a fault of the program.
    case other

    /// The kind of an error that the server answered with.
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
