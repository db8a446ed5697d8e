import CairnModel

/// A row to remove, together with its pairs.
public struct RowDeletion: Sendable, Hashable {
    /// The object whose row is removed.
    public var id: ObjectID
    /// The version that the deletion was based on. If the store contains another version, or no
    /// row, that is a conflict.
    public var previousVersion: Int64

    /// Creates a deletion. Nothing is checked before the store's `prepare`.
    package init(id: ObjectID, previousVersion: Int64) {
        self.id = id
        self.previousVersion = previousVersion
    }
}
