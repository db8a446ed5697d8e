import Foundation

/// Keys of an index table that follow each other.
struct KeyRange: Equatable {
    /// The first key that may be inside.
    var lower: [UInt8]
    /// The first key that is after. `nil` if there is none.
    var upper: [UInt8]?

    init(from lower: [UInt8], to upper: [UInt8]?) {
        self.lower = lower
        self.upper = upper
    }

    /// Exactly this key.
    init(only key: [UInt8]) { self.init(from: key, to: Self.next(key)) }

    /// Whether no other key can be inside.
    var isOneKey: Bool { upper == Self.next(lower) }

    /// The first key after this one.
    static func next(_ key: [UInt8]) -> [UInt8] { key + [0] }

    /// The first key that does not begin with these bytes. `nil` if there is none.
    static func afterAll(beginningWith start: [UInt8]) -> [UInt8]? {
        guard let index = start.lastIndex(where: { $0 != 0xff }) else { return nil }
        var key = Array(start[...index])
        key[index] += 1
        return key
    }

    /// Whether the key is after the range.
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

    /// Negative, zero or positive, as LMDB orders keys: by bytes, a beginning first.
    static func order(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
        let shared = min(left.count, right.count)
        if shared > 0, let a = left.baseAddress, let b = right.baseAddress {
            let order = memcmp(a, b, shared)
            if order != 0 { return Int(order) }
        }
        return left.count - right.count
    }
}
