import CairnModel
import CairnRows

/// A row that changed in the store after the context read it.
public struct RowConflict: Sendable {
    /// The object whose change or deletion was refused.
    public var id: ObjectID
    /// The version that the change was based on.
    public var expectedVersion: Int64
    /// The row that the store contains now, or `nil` if it was deleted.
    public var stored: Row?

    /// Creates a conflict for an engine's `prepare` to report. Pass the row that the transaction
    /// found.
    public init(id: ObjectID, expectedVersion: Int64, stored: Row?) {
        self.id = id
        self.expectedVersion = expectedVersion
        self.stored = stored
    }
}

extension RowConflict: CustomStringConvertible {
    /// The object, the version that was read, and the version that the store contains now.
    public var description: String {
        let found = stored.map { "now has version \($0.version)" } ?? "has since been deleted"
        return "\(id) was read at version \(expectedVersion) and \(found)"
    }
}
