import Foundation
import Synchronization

/// The name of one save. With it, a store can later tell whether the save took place.
///
/// A new name is a UUID that begins with the time (version 7 of RFC 9562), so later names are
/// greater. A store that discards old names remembers the greatest discarded name. If a name is
/// greater than that and is not recorded, the store knows that it never recorded the name.
/// Therefore the answers of a store are correct even if clocks are wrong. If a clock is slow, or
/// a name is a UUID of another version, the name may be too small for a store, which then refuses
/// the save with `.saveNameTooSmall`.
public struct SaveID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The UUID.
    public let uuid: UUID

    /// Creates a name from an existing UUID.
    public init(_ uuid: UUID) { self.uuid = uuid }

    /// Creates a name that no other save has. It is greater than all names that this process
    /// created before, even if the clock was set back.
    public init() {
        let milliseconds = UInt64(max(0, Date().timeIntervalSince1970 * 1000))
        self = Self.newest.withLock { newest in
            let id = SaveID(milliseconds: milliseconds)
            // A later name of the same millisecond, or of a clock that was set back.
            newest = id > newest ? id : newest.next ?? id
            return newest
        }
    }

    /// Creates a name that no other save has, and that is greater than another name, even if the
    /// clock is slow. Returns `nil` if the other name is of the year 10889 or later,
    /// because the time of a name cannot be greater.
    ///
    /// Use it if a store refuses a name with `.saveNameTooSmall`.
    public init?(after other: SaveID) {
        let id = SaveID()
        if id <= other {
            guard other.milliseconds < Self.maxMilliseconds else { return nil }
            self.init(milliseconds: other.milliseconds + 1)
        } else {
            self = id
        }
    }

    /// The greatest name that ``init()`` has returned in this process.
    private static let newest = Mutex(SaveID(milliseconds: 0))
    /// The time is a number of 48 bits.
    private static let maxMilliseconds: UInt64 = (1 << 48) - 1

    private init(milliseconds: UInt64) {
        var bytes = UUID().uuid
        withUnsafeMutableBytes(of: &bytes) { bytes in
            for index in 0..<6 {
                bytes[index] = UInt8(truncatingIfNeeded: milliseconds >> UInt64(8 * (5 - index)))
            }
            bytes[6] = bytes[6] & 0x0f | 0x70
        }
        uuid = UUID(uuid: bytes)
    }

    /// The name with the next number in its last seven bytes, which are random. Returns `nil` if
    /// there is no greater number.
    private var next: SaveID? {
        var bytes = uuid.uuid
        let isGreater = withUnsafeMutableBytes(of: &bytes) { bytes in
            for index in (9..<Self.byteCount).reversed() {
                bytes[index] &+= 1
                if bytes[index] != 0 { return true }
            }
            return false
        }
        return isGreater ? SaveID(UUID(uuid: bytes)) : nil
    }

    private var milliseconds: UInt64 { bytes.prefix(6).reduce(0) { $0 << 8 | UInt64($1) } }

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

/// A store's answer to the question whether a named save took place.
public enum CommitOutcome: Sendable, Hashable {
    /// The save took place.
    case saved
    /// The save did not take place, and never will.
    case notSaved
    /// The store cannot tell, because it remembers only later saves, or no names at all.
    case forgotten
}
