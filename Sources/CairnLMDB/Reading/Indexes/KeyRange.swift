import Foundation

/// A range of adjacent keys in an index table.
struct KeyRange: Equatable {
    /// The lower bound, which is included in the range.
    var lower: [UInt8]
    /// The first key after the range. `nil` if the range has no upper bound.
    var upper: [UInt8]?

    init(from lower: [UInt8], to upper: [UInt8]?) {
        self.lower = lower
        self.upper = upper
    }

    /// Creates a range that contains exactly one key.
    init(only key: [UInt8]) { self.init(from: key, to: Self.next(key)) }

    /// Whether the range can contain only one key.
    var isOneKey: Bool { upper == Self.next(lower) }

    /// Returns the key that immediately follows the given one.
    static func next(_ key: [UInt8]) -> [UInt8] { key + [0] }

    /// Returns the first key after all keys that begin with these bytes, or `nil` if there is no
    /// such key.
    static func afterAll(beginningWith start: [UInt8]) -> [UInt8]? {
        guard let index = start.lastIndex(where: { $0 != 0xff }) else { return nil }
        var key = Array(start[...index])
        key[index] += 1
        return key
    }

    /// Returns whether the key follows the range.
    func isBefore(_ key: UnsafeRawBufferPointer) -> Bool {
        guard let upper else { return false }
        return upper.withUnsafeBytes { Self.order($0, key) <= 0 }
    }

    func intersection(_ other: KeyRange) -> KeyRange {
        let lower = Self.precedes(self.lower, other.lower) ? other.lower : self.lower
        switch (self.upper, other.upper) {
        case (let a?, let b?): return KeyRange(from: lower, to: Self.precedes(a, b) ? a : b)
        case (let a, let b): return KeyRange(from: lower, to: a ?? b)
        }
    }

    static func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.withUnsafeBytes { left in right.withUnsafeBytes { order(left, $0) < 0 } }
    }

    /// Returns a negative number, zero or a positive number, according to LMDB's order of keys:
    /// byte by byte, and a prefix before longer keys.
    static func order(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
        let shared = min(left.count, right.count)
        if shared > 0, let a = left.baseAddress, let b = right.baseAddress {
            let order = memcmp(a, b, shared)
            if order != 0 { return Int(order) }
        }
        return left.count - right.count
    }
}
