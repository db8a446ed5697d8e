/// A row to replace.
public struct RowUpdate: Sendable {
    /// The complete new row, whose version is `previousVersion + 1`.
    ///
    /// Any other version is an error of the caller, and `prepare` throws `.engineFailure`.
    public var row: Row
    /// The version that the change was made on. Another one in the store is a conflict.
    public var previousVersion: Int64
    /// The slots whose values differ from the row of `previousVersion`.
    public var changedSlots: SlotSet

    /// Takes a row that was packed already; nothing is checked before the store's `prepare`.
    public init(row: Row, previousVersion: Int64, changedSlots: SlotSet) {
        self.row = row
        self.previousVersion = previousVersion
        self.changedSlots = changedSlots
    }
}
