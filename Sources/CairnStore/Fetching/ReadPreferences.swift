/// An engine's preferences for the size and number of read calls.
///
/// Larger numbers mean fewer calls, and smaller numbers less memory for each call. Every number is
/// at least 1.
public struct ReadPreferences: Sendable, Hashable {
    /// The number of matches that the coordinator requests from a cursor at a time.
    public var rowsPerBatch: Int
    /// The maximum number of IDs in one call of ``StoreSnapshot/rows(for:)``, and of owners in one
    /// call of ``StoreSnapshot/related(_:)``.
    public var idsPerCall: Int
    /// Whether the coordinator asks for members and their rows in one call.
    ///
    /// If `false`, it first asks for the members' IDs, and then for those rows that it does not
    /// have yet. That takes one more call, but does not read known rows again.
    public var sendsRowsWithMembers: Bool

    /// Creates preferences. The defaults suit an engine in the same process.
    public init(
        rowsPerBatch: Int = 4096, idsPerCall: Int = 10_000, sendsRowsWithMembers: Bool = false
    ) {
        self.rowsPerBatch = rowsPerBatch
        self.idsPerCall = idsPerCall
        self.sendsRowsWithMembers = sendsRowsWithMembers
    }
}
