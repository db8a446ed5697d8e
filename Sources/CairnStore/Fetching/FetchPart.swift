/// A part of a fetch that a thread can read on its own: see
/// ``StoreSnapshot/parts(of:atMost:rowsEach:)``.
public struct FetchPart: Sendable {
    private let makeCursor: @Sendable () throws(StoreError) -> any RowCursor

    /// Creates a part.
    ///
    /// - Parameter makeCursor: starts the part's fetch. It is called on the thread that reads the
    ///   part. Resources that it holds, such as a transaction, are released together with the part
    ///   and its cursor.
    public init(_ makeCursor: @escaping @Sendable () throws(StoreError) -> any RowCursor) {
        self.makeCursor = makeCursor
    }

    /// Starts the part's fetch.
    ///
    /// - Throws: the errors of ``StoreSnapshot/cursor(_:)``.
    public func cursor() throws(StoreError) -> any RowCursor { try makeCursor() }
}
