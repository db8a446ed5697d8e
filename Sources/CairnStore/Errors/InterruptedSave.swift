/// A save over several stores that was interrupted between its first and its last commit.
public struct InterruptedSave: Error, Sendable, Hashable {
    /// The name that the save has in its stores. `nil` if it could not be read.
    public var id: SaveID?
    /// The stores of the save that are known.
    public var stores: [StoreLocation]
    /// What keeps it from being finished.
    public var detail: String

    /// Describes an interrupted save.
    public init(id: SaveID?, stores: [StoreLocation], detail: String) {
        self.id = id
        self.stores = stores
        self.detail = detail
    }
}

extension InterruptedSave: CustomStringConvertible {
    /// The stores and the detail.
    public var description: String {
        let names = stores.map(\.description).joined(separator: ", ")
        return
            "The save\(id.map { " \($0)" } ?? "") over several stores (\(names)) is not finished:"
            + " \(detail)."
    }
}
