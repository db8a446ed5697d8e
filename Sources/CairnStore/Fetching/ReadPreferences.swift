/// How an engine wants to be asked: how much one call carries.
///
/// Large numbers mean few calls, small ones mean little memory for each. Every number is at least 1.
public struct ReadPreferences: Sendable, Hashable {
    /// How many matches the coordinator asks a cursor for at a time.
    public var rowsPerBatch: Int
    /// The most IDs in one call of ``StoreSnapshot/rows(for:)``, and the most owners in one call of
    /// ``StoreSnapshot/related(_:)``.
    public var idsPerCall: Int
    /// Whether the coordinator asks for members and their rows in one call.
    ///
    /// Otherwise it asks for the members' IDs, and then for the rows that it lacks. That is one call
    /// more, and reads no row that is known already.
    public var sendsRowsWithMembers: Bool

    /// Suits an engine in the same process.
    public init(
        rowsPerBatch: Int = 4096, idsPerCall: Int = 10_000, sendsRowsWithMembers: Bool = false
    ) {
        self.rowsPerBatch = rowsPerBatch
        self.idsPerCall = idsPerCall
        self.sendsRowsWithMembers = sendsRowsWithMembers
    }
}
