/// A part of a fetch, which a thread of its own can read: what ``StoreSnapshot/parts(of:atMost:rowsEach:)``
/// answers.
public struct FetchPart: Sendable {
    private let makeCursor: @Sendable () throws(StoreError) -> any RowCursor

    /// - Parameter makeCursor: starts the part's fetch. It is called on the thread that reads the part. What it
    ///   holds, such as a transaction, ends when the part and its cursor are released.
    public init(_ makeCursor: @escaping @Sendable () throws(StoreError) -> any RowCursor) {
        self.makeCursor = makeCursor
    }

    /// Starts the fetch of the part.
    ///
    /// - Throws: what ``StoreSnapshot/cursor(_:)`` throws.
    public func cursor() throws(StoreError) -> any RowCursor { try makeCursor() }
}
