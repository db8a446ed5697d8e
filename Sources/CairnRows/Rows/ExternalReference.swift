import CairnModel

/// A reference from a row to bytes that its store keeps outside of the row.
public struct ExternalReference: Sendable, Hashable {
    /// The store that keeps the bytes. They are read through its snapshots.
    public var store: StoreNumber
    /// The store's name for the bytes. In a SQLite store it is the UUID that names the file.
    public var name: String

    /// Creates a reference. A name is meaningful only in its own store. References are created by
    /// engines, and when rows are read.
    public init(store: StoreNumber, name: String) {
        self.store = store
        self.name = name
    }
}
