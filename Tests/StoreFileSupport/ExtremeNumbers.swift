/// Numbers at the limits of what the fields of a file format can hold.
///
/// Random damage almost never finds them, and they are the numbers on which a parser that adds,
/// multiplies or allocates traps. Each format writes each of them into each of its numeric fields.
package enum ExtremeNumbers {
    /// For fields that hold a signed 64-bit number.
    package static let signed: [Int64] = [
        0, 1, -1, .min, .min + 1, .max - 1, .max, 1 << 31, (1 << 31) - 1, 1 << 32, (1 << 32) - 1,
        -(1 << 31),
    ]

    /// For fields that hold an unsigned number of 64 bits; the largest is 2^64 − 1.
    package static let unsigned: [UInt64] =
        signed.filter { $0 >= 0 }.map(UInt64.init) + [1 << 63, .max - 1, .max]

    /// For a field of `byteCount` bytes: the bit patterns of all numbers of ``unsigned``, cut to the
    /// field, each of them once, with the least significant byte first.
    package static func littleEndian(byteCount: Int) -> [[UInt8]] {
        var patterns: [[UInt8]] = []
        let limit = byteCount >= 8 ? UInt64.max : (1 << (8 * UInt64(byteCount))) - 1
        for number in unsigned + [limit, limit / 2, limit / 2 + 1] where number <= limit {
            let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
            if !patterns.contains(bytes) { patterns.append(bytes) }
        }
        return patterns
    }

    /// As ``littleEndian(byteCount:)``, with the most significant byte first.
    package static func bigEndian(byteCount: Int) -> [[UInt8]] {
        littleEndian(byteCount: byteCount).map { $0.reversed() }
    }
}
