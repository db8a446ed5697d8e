import Foundation

/// The name of one save, by which a store can tell later whether the save took place.
///
/// A new name is a UUID that begins with the time (version 7 of RFC 9562), so later names are
/// greater. A store that forgets names remembers the greatest of those: a name that is greater
/// than all forgotten ones, and is not recorded, was never recorded. So no answer of a store
/// depends on a clock being right. Clocks that are wrong, and UUIDs of other versions, only make
/// stores answer ``CommitOutcome/forgotten`` more often.
public struct SaveID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The name itself.
    public let uuid: UUID

    /// Takes a name that was given before.
    public init(_ uuid: UUID) { self.uuid = uuid }

    /// Makes a name that no other save has.
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

    /// How many bytes a name takes.
    package static let byteCount = 16

    /// The bytes of the UUID, which order names as `<` does.
    package var bytes: [UInt8] { withUnsafeBytes(of: uuid.uuid) { Array($0) } }

    /// Returns `nil` for any other number of bytes than ``byteCount``.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        var uuid = UUID().uuid
        withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: bytes) }
        self.uuid = UUID(uuid: uuid)
    }

    /// Whether the left name comes first, by its bytes.
    public static func < (left: SaveID, right: SaveID) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }

    /// The UUID in its usual form.
    public var description: String { uuid.uuidString }
}
