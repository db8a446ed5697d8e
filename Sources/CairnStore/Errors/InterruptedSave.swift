/// A save over several stores that was interrupted after its first commit and before its last.
public struct InterruptedSave: Error, Sendable, Hashable {
    /// The name of the save in its stores, or `nil` if the name could not be read.
    public var id: SaveID?
    /// The locations of the stores that take part in the save, as far as they are known.
    public var stores: [StoreLocation]
    /// The reason why the save cannot be finished.
    public var detail: String

    /// Creates a description of an interrupted save. `detail` is a clause without a full stop.
    package init(id: SaveID?, stores: [StoreLocation], detail: String) {
        self.id = id
        self.stores = stores
        self.detail = detail
    }
}

extension InterruptedSave: CustomStringConvertible {
    /// The name of the save, its stores, and the reason why it is not finished.
    public var description: String {
        let names = stores.map(\.description).joined(separator: ", ")
        return
            "The save\(id.map { " \($0)" } ?? "") over several stores (\(names)) is not finished:"
            + " \(detail)\(detail.hasSuffix(".") ? "" : ".")"
    }
}
