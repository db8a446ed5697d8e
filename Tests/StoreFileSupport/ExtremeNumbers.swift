/// Numbers at the limits of the fields of a file format.
///
/// Random damage almost never produces these numbers, but parsers that add, multiply or allocate trap on
/// them. The tests of each format write all of them into each numeric field.
package enum ExtremeNumbers {
    /// Values for fields with a signed 64-bit number.
    package static let signed: [Int64] = [
        0, 1, -1, .min, .min + 1, .max - 1, .max, 1 << 31, (1 << 31) - 1, 1 << 32, (1 << 32) - 1,
        -(1 << 31),
    ]

    /// Values for fields with an unsigned 64-bit number. The largest is 2^64 − 1.
    package static let unsigned: [UInt64] =
        signed.filter { $0 >= 0 }.map(UInt64.init) + [1 << 63, .max - 1, .max]

    /// Returns the bit patterns of all numbers in ``unsigned``, truncated to `byteCount` bytes, without
    /// duplicates, with the least significant byte first.
    package static func littleEndian(byteCount: Int) -> [[UInt8]] {
        var patterns: [[UInt8]] = []
        let limit = byteCount >= 8 ? UInt64.max : (1 << (8 * UInt64(byteCount))) - 1
        for number in unsigned + [limit, limit / 2, limit / 2 + 1] where number <= limit {
            let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
            if !patterns.contains(bytes) { patterns.append(bytes) }
        }
        return patterns
    }

    /// Returns the same patterns as ``littleEndian(byteCount:)``, with the most significant byte first.
    package static func bigEndian(byteCount: Int) -> [[UInt8]] {
        littleEndian(byteCount: byteCount).map { $0.reversed() }
    }
}
