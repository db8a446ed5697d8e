import CairnModel

/// A row to remove, with its pairs.
public struct RowDeletion: Sendable, Hashable {
    /// The object whose row goes.
    public var id: ObjectID
    /// The version that the deletion was decided on. Another one in the store is a conflict; a
    /// row that is gone already is one too.
    public var previousVersion: Int64

    /// Takes what was read last; nothing is checked before the store's `prepare`.
    public init(id: ObjectID, previousVersion: Int64) {
        self.id = id
        self.previousVersion = previousVersion
    }
}
