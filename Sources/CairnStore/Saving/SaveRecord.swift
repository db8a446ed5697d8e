import Foundation

/// The names of a store's last named saves, for engines that keep them as a whole.
///
/// Takes 16 bytes for each name. An engine that writes rows keeps each name in a row of its own
/// instead, so that a save does not write all names again.
public struct SaveRecord: Sendable, Equatable {
    /// How many names are remembered.
    public static let capacity = 1_000

    /// In the order in which they were recorded.
    private var ids: [SaveID] = []
    /// `nil` if no name was forgotten.
    private var greatestForgotten: SaveID?

    /// Creates the record of a store that has no named saves yet.
    public init() {}

    /// Whether no name was ever recorded.
    public var isEmpty: Bool { ids.isEmpty && greatestForgotten == nil }

    /// Records a name, and forgets the one that was recorded first if there are too many.
    public mutating func add(_ id: SaveID) {
        ids.append(id)
        guard ids.count > Self.capacity else { return }
        let forgotten = ids.removeFirst()
        greatestForgotten = max(greatestForgotten ?? forgotten, forgotten)
    }

    /// What the record says of a save.
    public func outcome(of id: SaveID) -> CommitOutcome {
        if ids.contains(id) { return .saved }
        return Self.outcome(ofUnrecorded: id, greatestForgotten: greatestForgotten)
    }

    /// What a store says of a name that it does not remember.
    package static func outcome(
        ofUnrecorded id: SaveID, greatestForgotten: SaveID?
    ) -> CommitOutcome {
        guard let greatestForgotten, id <= greatestForgotten else { return .notSaved }
        return .forgotten
    }

    // MARK: Bytes

    /// The record as bytes: the greatest forgotten name, or 16 zeros, and then the names.
    public var data: Data {
        var data = Data(greatestForgotten?.bytes ?? [UInt8](repeating: 0, count: Self.idLength))
        for id in ids { data.append(contentsOf: id.bytes) }
        return data
    }

    private static let idLength = SaveID.byteCount

    /// Reads what ``data`` gave. Returns `nil` if the bytes are no record.
    public init?(_ data: Data) {
        guard !data.isEmpty, data.count.isMultiple(of: Self.idLength),
            data.count <= (Self.capacity + 1) * Self.idLength
        else { return nil }
        var all = stride(from: data.startIndex, to: data.endIndex, by: Self.idLength)
            .compactMap { SaveID(bytes: data[$0..<$0 + Self.idLength]) }
        let forgotten = all.removeFirst()
        greatestForgotten = forgotten.bytes.allSatisfy { $0 == 0 } ? nil : forgotten
        ids = all
    }
}
