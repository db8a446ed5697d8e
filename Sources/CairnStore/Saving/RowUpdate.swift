import CairnRows

/// A row to replace.
public struct RowUpdate: Sendable {
    /// The complete new row, whose version is `previousVersion + 1`.
    ///
    /// Any other version is an error of the caller, and `prepare` throws `.engineFailure`.
    public var row: Row
    /// The version that the change was based on. If the store contains another version, that is a
    /// conflict.
    public var previousVersion: Int64
    /// The slots whose values differ from the row of `previousVersion`.
    public var changedSlots: SlotSet

    /// Creates an update from a packed row. Nothing is checked before the store's `prepare`.
    package init(row: Row, previousVersion: Int64, changedSlots: SlotSet) {
        self.row = row
        self.previousVersion = previousVersion
        self.changedSlots = changedSlots
    }
}
