import CairnModel
import CairnRows
import Foundation

/// An entry of an attribute's index: a value, and the key of the row that has it.
///
/// Entries are sorted by value, `nil` first, and then by the key of the row. The order is that of sorts
/// and predicates, except that it does not tell values apart that have the same ``IndexCode`` and are
/// neither texts nor UUIDs.
package struct ValueKey: Sendable, Comparable {
    private let code: Int64
    /// The key of the row.
    let row: Int64
    /// The text, if it is longer than the bytes that the code contains. For a UUID, a text with the order of
    /// its last eight bytes. Otherwise empty.
    private let text: String
    /// 0 for `nil`. For other values 1, and for a text also the number of its bytes, at most
    /// ``longLength``.
    private let length: UInt8

    private static let longLength: UInt8 = 10

    /// A number that never decreases from an entry to the next.
    var order: UInt64 { UInt64(bitPattern: code) ^ 1 << 63 }

    private init(code: Int64, length: UInt8, text: String = "", row: Int64) {
        self.code = code
        self.row = row
        self.text = text
        self.length = length
    }

    /// The first of all entries for `nil`.
    static let firstNull = ValueKey(code: .min, length: 0, row: .min)
    /// The first of all entries for other values.
    static let firstValue = ValueKey(code: .min, length: 1, row: .min)

    /// Creates the entry of a row.
    ///
    /// - Precondition: there are codes for values in slots of this kind.
    init(_ slot: RowLayout.Slot, in row: Row) {
        if row.isNull(slot) {
            self.init(code: .min, length: 0, row: row.key)
        } else if slot.kind == .string || slot.kind == .uri {
            self.init(row.unsafeBytes(slot), row: row.key)
        } else if slot.kind == .uuid {
            self.init(row.uuid(slot), row: row.key)
        } else {
            self.init(code: IndexCode.code(of: slot, in: row) ?? .min, length: 1, row: row.key)
        }
    }

    /// Creates the entry of a row from the ``IndexCode`` of its value and its key.
    init(number: KeyPair) { self.init(code: number.first, length: 1, row: number.second) }

    /// Creates the bound of a search for a constant. Returns `nil` if an index of the type's values
    /// cannot find the constant.
    init?(_ value: Value, among type: AttributeType, row: Int64) {
        switch (value, type) {
        case (.null, _): self.init(code: .min, length: 0, row: row)
        case (.string(let text), .string): self.init(text, row: row)
        case (.uri(let url), .uri): self.init(url.absoluteString, row: row)
        case (.uuid(let uuid), .uuid): self.init(uuid, row: row)
        default:
            guard let code = IndexCode.code(of: value, among: type) else { return nil }
            self.init(code: code, length: 1, row: row)
        }
    }

    private init(_ uuid: UUID, row: Int64) {
        self = withUnsafeBytes(of: uuid.uuid) { bytes in
            let end = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            // Ten characters of seven bits need no memory of their own.
            let text = stride(from: 63, through: 0, by: -7).map { UInt8(end >> $0 & 0x7f) }
            return ValueKey(
                code: IndexCode.code(of: bytes, filler: 0), length: Self.longLength,
                text: String(decoding: text, as: UTF8.self), row: row)
        }
    }

    private init(_ text: String, row: Int64) {
        var text = text
        self = text.withUTF8 { ValueKey(UnsafeRawBufferPointer($0), row: row) }
    }

    private init(_ bytes: UnsafeRawBufferPointer, row: Int64) {
        let isLong = bytes.count > 8
        self.init(
            code: IndexCode.code(of: bytes, filler: 0),
            length: isLong ? Self.longLength : UInt8(bytes.count + 1),
            text: isLong ? String(decoding: bytes, as: UTF8.self) : "", row: row)
    }

    /// Whether both entries have the same value, as far as the index can tell.
    func hasValue(of other: Self) -> Bool {
        code == other.code && length == other.length
            && (length < Self.longLength || text.utf8.elementsEqual(other.text.utf8))
    }

    /// Whether the entry's text begins with the given text, as far as the index can tell.
    fileprivate func begins(with start: String, lastCode: Int64) -> Bool {
        guard start.utf8.count > 8 else { return code <= lastCode }
        return code == lastCode && text.utf8.starts(with: start.utf8)
    }

    package static func < (left: Self, right: Self) -> Bool {
        if left.code != right.code { return left.code < right.code }
        if left.length != right.length { return left.length < right.length }
        if left.length == longLength, !left.text.utf8.elementsEqual(right.text.utf8) {
            return left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
        }
        return left.row < right.row
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.row == right.row && left.hasValue(of: right)
    }
}

/// Adjacent entries of an attribute's index.
struct ValueRange {
    /// The lower bound, which is included.
    private(set) var from = ValueKey.firstNull
    /// The upper bound, which belongs to the range. `nil` if the range has no upper bound.
    private(set) var to: ValueKey?
    /// The beginning of all texts in the range, with the code of the last of them.
    private(set) var start: (text: String, lastCode: Int64)?

    /// Creates the range of all entries.
    init() {}

    /// Creates the ranges that contain all values for which a test is true. Returns `nil` if an
    /// index of the type's values cannot tell.
    static func ranges(_ test: IndexCondition.Test, _ type: AttributeType) -> [ValueRange]? {
        func bound(_ value: Value, row: Int64) -> ValueKey? {
            ValueKey(value, among: type, row: row)
        }
        var range = ValueRange()
        switch test {
        case .oneOf(let values):
            var ranges: [ValueRange] = []
            for value in values {
                guard let low = bound(value, row: .min), let high = bound(value, row: .max) else {
                    return nil
                }
                (range.from, range.to) = (low, high)
                ranges.append(range)
            }
            return ranges
        case .between(let low, let high):
            guard let low = bound(low, row: .min), let high = bound(high, row: .max) else {
                return nil
            }
            (range.from, range.to) = (low, high)
        case .below(let value, let isInclusive):
            guard let bound = bound(value, row: isInclusive ? .max : .min) else { return nil }
            (range.from, range.to) = (.firstValue, bound)
        case .above(let value, let isInclusive):
            guard let bound = bound(value, row: isInclusive ? .min : .max) else { return nil }
            range.from = bound
        case .beginsWith(let value):
            guard case .string(let text) = value, let bound = bound(value, row: .min) else {
                return nil
            }
            range.from = bound
            range.start = (text, IndexCode.codes(beginningWith: text).upperBound)
        }
        return [range]
    }

    /// Returns whether the range contains an entry that is not below ``from``.
    func reaches(_ entry: ValueKey) -> Bool {
        if let to, to < entry { return false }
        guard let (text, lastCode) = start else { return true }
        return entry.begins(with: text, lastCode: lastCode)
    }

    /// Returns a range that contains all entries of both ranges, and possibly others.
    func intersection(_ other: Self) -> Self {
        var range = self
        range.from = max(from, other.from)
        range.to = [to, other.to].compactMap(\.self).min()
        range.start = start ?? other.start
        return range
    }
}

/// Walks along an index, from group to group of equal values.
struct IndexWalk {
    typealias Entries = SortedMap<ValueKey, Void>

    private let entries: Entries
    private let range: ValueRange
    private let isAscending: Bool
    private var position: Entries.Position
    /// The first entry of the next group, or `nil` at the end.
    private var next: ValueKey?

    /// - Precondition: a descending walk has no range of texts with the same beginning.
    init(_ entries: Entries, _ range: ValueRange, isAscending: Bool) {
        self.entries = entries
        self.range = range
        self.isAscending = isAscending
        position =
            if isAscending {
                entries.position(notBelow: range.from)
            } else {
                range.to.map(entries.position(notBelow:)) ?? entries.end
            }
        step()
    }

    private mutating func step() {
        if isAscending {
            next = entries.next(&position)?.key
            if let entry = next, !range.reaches(entry) { next = nil }
        } else {
            next = entries.previous(&position)
            if let entry = next, entry < range.from { next = nil }
        }
    }

    /// Returns the keys of the rows in the next groups, in ascending order. Returns at least
    /// `count` keys, or all that are left.
    mutating func keys(atLeast count: Int) -> [Int64] {
        var keys: [Int64] = []
        while let first = next, keys.count < count {
            while let entry = next, entry.hasValue(of: first) {
                keys.append(entry.row)
                step()
            }
        }
        return keys.sorted()
    }
}
