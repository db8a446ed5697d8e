import CairnModel
import CairnStore
import Foundation

/// A value as a number with the same order, and what decides if two numbers are equal.
struct SortPart {
    enum Rest {
        /// The number determines the order completely.
        case none
        case bytes([UInt8])
        case value(Value)
    }

    /// 0 for `nil` and 1 for a value, or the reverse if the order is descending.
    var rank: UInt32
    var prefix: UInt64
    var rest: Rest
    var isAscending: Bool

    /// - Parameter isMixed: whether the values may be both integers and doubles, as sums that
    ///   overflow are.
    init(_ value: Value, _ sort: BoundSort, isMixed: Bool) {
        rank = value.isNull ? 0 : 1
        (prefix, rest) = Self.encoded(value, sort.textOrder, isMixed: isMixed)
        isAscending = sort.isAscending
        if !isAscending { (rank, prefix) = (1 - rank, ~prefix) }
    }

    static func order(_ left: SortPart, _ right: SortPart) -> Int {
        if left.rank != right.rank { return left.rank < right.rank ? -1 : 1 }
        if left.prefix != right.prefix { return left.prefix < right.prefix ? -1 : 1 }
        return restOrder(left, right)
    }

    /// Returns the order of two parts with equal rank and prefix.
    @inline(__always) static func restOrder(_ left: SortPart, _ right: SortPart) -> Int {
        let order: Int
        switch (left.rest, right.rest) {
        case (.bytes(let a), .bytes(let b)):
            order = a.withUnsafeBytes { a in b.withUnsafeBytes { PredicateText.order(a, $0) } }
        case (.value(let a), .value(let b)): order = ValueOrder.order(a, b) ?? 0
        default: return 0
        }
        return left.isAscending ? order : -order
    }

    private static func encoded(
        _ value: Value, _ textOrder: BoundSort.TextOrder, isMixed: Bool
    ) -> (UInt64, Rest) {
        switch value {
        case .boolean(let flag): (flag ? 1 : 0, .none)
        case .integer(let number) where isMixed: (ordered(Double(number)), .value(value))
        case .double(let number) where isMixed: (ordered(number), .value(value))
        case .integer(let number): (UInt64(bitPattern: number) ^ 1 << 63, .none)
        case .double(let number): (ordered(number), .none)
        case .float(let number): (ordered(Double(number)), .none)
        case .date(let date): (ordered(date.timeIntervalSinceReferenceDate), .none)
        case .decimal(let number): (ordered(Double(number.description) ?? .nan), .value(value))
        case .string(let text): bytes(StandardOrder.bytes(of: text, textOrder))
        case .uri(let url): bytes(Array(url.absoluteString.utf8))
        case .uuid(let uuid): withUnsafeBytes(of: uuid.uuid) { bytes(Array($0)) }
        case .objectID: (0, .value(value))
        case .null, .binary, .transformable, .composite: (0, .none)
        }
    }

    /// Returns an integer with the same order as the double. NaN comes first, and −0 is equal to 0.
    static func ordered(_ value: Double) -> UInt64 {
        if value.isNaN { return 0 }
        let bits = (value == 0 ? 0 : value).bitPattern
        return bits >> 63 == 1 ? ~bits : bits | 1 << 63
    }

    private static func bytes(_ bytes: [UInt8]) -> (UInt64, Rest) {
        (bytes.withUnsafeBytes(prefix), .bytes(bytes))
    }

    /// Returns the first eight bytes as a number, so that most strings can be ordered without
    /// comparing their bytes.
    static func prefix(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        if bytes.count >= 8 { return UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) }
        return (0..<8).reduce(0) { $0 << 8 | ($1 < bytes.count ? UInt64(bytes[$1]) : 0) }
    }
}

/// The key by which a row or object is sorted: one part for each sort key of the order, followed by
/// the ID.
///
/// Compare only keys of the same ``ObjectSorter``. Whether the order is ascending or descending is
/// already part of the keys.
package struct SortKey: Comparable {
    let parts: [SortPart]
    let id: ObjectID

    /// Returns whether the left key comes first. The first part that differs decides. If all parts
    /// are equal, the ID decides.
    package static func < (left: SortKey, right: SortKey) -> Bool {
        let order = left.order(beforeIDs: right)
        return order == 0 ? ValueOrder.order(left.id, right.id) < 0 : order < 0
    }

    /// Compares two keys without the IDs. The result is negative, zero or positive if this key
    /// comes before, together with or after the other.
    package func order(beforeIDs other: SortKey) -> Int {
        for (a, b) in zip(parts, other.parts) {
            let order = SortPart.order(a, b)
            if order != 0 { return order }
        }
        return 0
    }

    /// Returns whether both keys are of the same object and all parts are equal.
    package static func == (left: SortKey, right: SortKey) -> Bool {
        left.id == right.id
            && zip(left.parts, right.parts).allSatisfy { SortPart.order($0, $1) == 0 }
    }
}

/// Converts text to bytes whose order is the one that a sort asks for.
package enum StandardOrder {
    /// Returns bytes that `memcmp` orders in the same way as `order` orders the strings.
    ///
    /// In the standard order, the text is folded as with `[cd]`, and each sequence of ASCII digits
    /// is compared as a number. The text itself is added at the end, so that only equal strings
    /// have equal bytes.
    package static func bytes(of text: String, _ order: BoundSort.TextOrder) -> [UInt8] {
        switch order {
        case .scalars: Array(text.utf8)
        case .caseInsensitive: Array(PredicateText.folded(text, .caseInsensitive).utf8)
        case .standard:
            numbered(PredicateText.folded(text, [.caseInsensitive, .diacriticInsensitive]))
                + [0] + Array(text.utf8)
        }
    }

    /// Replaces each sequence of digits by `0`, the number of its digits without leading zeros, and
    /// these digits, so that a number with more digits is greater. The number of digits takes one
    /// byte for each 254 of them.
    private static func numbered(_ text: String) -> [UInt8] {
        var result: [UInt8] = []
        var digits: [UInt8] = []
        var isInNumber = false
        func endNumber(_ result: inout [UInt8]) {
            guard isInNumber else { return }
            result.append(UInt8(ascii: "0"))
            result += Array(repeating: 255, count: digits.count / 254)
            result.append(UInt8(digits.count % 254))
            result += digits
            digits = []
            isInNumber = false
        }
        for byte in text.utf8 {
            if (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
                isInNumber = true
                if byte != UInt8(ascii: "0") || !digits.isEmpty { digits.append(byte) }
            } else {
                endNumber(&result)
                result.append(byte)
            }
        }
        endNumber(&result)
        return result
    }
}
