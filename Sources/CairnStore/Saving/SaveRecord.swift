import Foundation

/// The names of a store's most recent named saves, for engines that store these names as a whole.
///
/// Each name takes 16 bytes. An engine that writes rows should keep each name in a row of its own
/// instead, so that a save does not write all names again.
public struct SaveRecord: Sendable, Equatable {
    /// The maximum number of remembered names.
    package static let capacity = 1_000

    /// The remembered names, in the order in which they were recorded.
    private var ids: [SaveID] = []
    /// The greatest name that was forgotten, or `nil` if no name was forgotten.
    private var greatestForgotten: SaveID?

    /// Creates the record of a store without named saves.
    public init() {}

    /// Whether no name was ever recorded.
    public var isEmpty: Bool { ids.isEmpty && greatestForgotten == nil }

    /// Records a name. If there are then more than `capacity` names, forgets the oldest.
    public mutating func add(_ id: SaveID) {
        ids.append(id)
        guard ids.count > Self.capacity else { return }
        let forgotten = ids.removeFirst()
        greatestForgotten = max(greatestForgotten ?? forgotten, forgotten)
    }

    /// Returns whether a save took place, as far as the record can tell.
    public func outcome(of id: SaveID) -> CommitOutcome {
        if ids.contains(id) { return .saved }
        return Self.outcome(ofUnrecorded: id, greatestForgotten: greatestForgotten)
    }

    /// Checks that the store can tell later whether a save with the name took place: the name is
    /// greater than the greatest name that was forgotten. Call this in `prepare`.
    ///
    /// - Parameters:
    ///   - id: the name of the save.
    ///   - location: names the store in the error.
    /// - Throws: `.saveNameTooSmall`.
    public func requireAnswerable(
        _ id: SaveID, at location: StoreLocation
    ) throws(StoreError) {
        guard let greatestForgotten, id <= greatestForgotten else { return }
        throw .saveNameTooSmall(
            location, greatest: ids.reduce(greatestForgotten) { max($0, $1) })
    }

    /// Returns the answer of a store that does not remember the name of the save.
    package static func outcome(
        ofUnrecorded id: SaveID, greatestForgotten: SaveID?
    ) -> CommitOutcome {
        guard let greatestForgotten, id <= greatestForgotten else { return .notSaved }
        return .forgotten
    }

    // MARK: Bytes

    /// The record as bytes: the greatest forgotten name, or 16 zero bytes, followed by the names.
    public var data: Data {
        var data = Data(greatestForgotten?.bytes ?? [UInt8](repeating: 0, count: Self.idLength))
        for id in ids { data.append(contentsOf: id.bytes) }
        return data
    }

    private static let idLength = SaveID.byteCount

    /// Reads a record from bytes in the form of ``data``. Returns `nil` if the bytes are not a
    /// record.
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
