import CairnModel

/// Bytes that a row names and its store keeps elsewhere.
public struct ExternalReference: Sendable, Hashable {
    /// The store that keeps the bytes; its snapshots give them out.
    public var store: StoreNumber
    /// What the store calls them: for SQLite the UUID that names the file.
    public var name: String

    /// Made by engines and by reading rows; a name means something to its own store only.
    public init(store: StoreNumber, name: String) {
        self.store = store
        self.name = name
    }
}
