import Foundation

/// The name of one save. With it, a store can later tell whether the save took place.
///
/// A new name is a UUID that begins with the time (version 7 of RFC 9562), so later names are
/// greater. A store that discards old names remembers the greatest discarded name. If a name is
/// greater than that and is not recorded, the store knows that it never recorded the name.
/// Therefore the answers of a store are correct even if clocks are wrong. Wrong clocks, and UUIDs
/// of other versions, only cause a store to answer ``CommitOutcome/forgotten`` more often.
public struct SaveID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The UUID.
    public let uuid: UUID

    /// Creates a name from an existing UUID.
    public init(_ uuid: UUID) { self.uuid = uuid }

    /// Creates a name that no other save has.
    public init() {
        var bytes = UUID().uuid
        let milliseconds = UInt64(max(0, Date().timeIntervalSince1970 * 1000))
        withUnsafeMutableBytes(of: &bytes) { bytes in
            for index in 0..<6 {
                bytes[index] = UInt8(truncatingIfNeeded: milliseconds >> UInt64(8 * (5 - index)))
            }
            bytes[6] = bytes[6] & 0x0f | 0x70
        }
        uuid = UUID(uuid: bytes)
    }

    /// The number of bytes in a name.
    package static let byteCount = 16

    /// The bytes of the UUID. Names are ordered by these bytes.
    package var bytes: [UInt8] { withUnsafeBytes(of: uuid.uuid) { Array($0) } }

    /// Creates a name from its bytes. Returns `nil` unless there are exactly ``byteCount`` bytes.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        var uuid = UUID().uuid
        withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: bytes) }
        self.uuid = UUID(uuid: uuid)
    }

    /// Returns whether the bytes of the left name are less than those of the right name.
    public static func < (left: SaveID, right: SaveID) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }

    /// The UUID in its usual form.
    public var description: String { uuid.uuidString }
}
