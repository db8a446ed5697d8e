import CairnStore

/// A failed statement. This is the only type that turns the server's codes into failures of the contract.
struct PostgreSQLFailure {
    /// The operation that failed, in the engine's terms.
    var operation: String
    /// The five characters of the SQLSTATE, or empty text if the server sent none.
    var sqlState: String
    /// The server's message without its detail, which may contain values.
    var message: String

    /// Returns the failure. Its code is the SQLSTATE, read as a number to the base 36.
    func engineFailure(at location: StoreLocation) -> EngineFailure {
        EngineFailure(
            type: PostgreSQLStore.type, location: location, operation: operation,
            code: Int(sqlState, radix: 36) ?? 0,
            message: sqlState.isEmpty ? message : "\(message) (SQLSTATE \(sqlState))",
            isTransient: isTransient)
    }

    /// Whether the server may do the same a moment later: after a serialization failure or a deadlock, a lost
    /// connection, too many connections, or while it starts or stops. A pooler that does not keep prepared statements is
    /// noticed when one is missing.
    private var isTransient: Bool {
        ["40001", "40P01", "53300", PreparedStatements.unknownStatement].contains(sqlState)
            || sqlState.hasPrefix("08") || sqlState.hasPrefix("57P")
    }
}
