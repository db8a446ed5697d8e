import CairnModel

/// A row that is not in the store as the context read it.
public struct RowConflict: Sendable {
    /// The object whose change or deletion is refused.
    public var id: ObjectID
    /// The version that the change was made on.
    public var expectedVersion: Int64
    /// The row that is in the store now. `nil` if it was deleted.
    public var stored: Row?

    /// Reported by an engine's `prepare`, with the row of the transaction that found it.
    public init(id: ObjectID, expectedVersion: Int64, stored: Row?) {
        self.id = id
        self.expectedVersion = expectedVersion
        self.stored = stored
    }
}

extension RowConflict: CustomStringConvertible {
    /// The object, the version that was read, and what is in the store now.
    public var description: String {
        let found = stored.map { "version \($0.version)" } ?? "deleted"
        return "\(id) was read at version \(expectedVersion) and is now \(found)"
    }
}
