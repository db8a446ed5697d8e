/// A set of row slots: which values of a row changed.
public struct SlotSet: Sendable, Hashable {
    @usableFromInline var first: UInt64 = 0
    /// Words for slots from 64 on; most entities have none.
    @usableFromInline var rest: [UInt64] = []

    /// The empty set; allocates nothing.
    public init() {}

    /// The slots of a range.
    ///
    /// - Precondition: it does not begin below 0.
    public init(_ slots: Range<Int>) {
        let end = Swift.min(slots.upperBound, 64)
        if slots.lowerBound < end {
            first = (UInt64.max >> UInt64(64 - end)) & (UInt64.max << UInt64(slots.lowerBound))
        }
        for slot in slots.dropFirst(Swift.max(0, 64 - slots.lowerBound)) { insert(slot) }
    }

    /// Whether no slot is in the set.
    @inlinable public var isEmpty: Bool { first == 0 && rest.allSatisfy { $0 == 0 } }

    /// How many slots are in the set.
    public var count: Int { rest.reduce(first.nonzeroBitCount) { $0 + $1.nonzeroBitCount } }

    /// Whether the slot is in the set; false for one beyond all that were inserted.
    ///
    /// - Precondition: `slot` is not negative.
    @inlinable @inline(__always) public func contains(_ slot: Int) -> Bool {
        if slot < 64 { return first &>> UInt64(truncatingIfNeeded: slot) & 1 == 1 }
        return containsBehind(slot)
    }

    @usableFromInline func containsBehind(_ slot: Int) -> Bool {
        let word = slot / 64 - 1
        return word < rest.count && rest[word] >> UInt64(slot % 64) & 1 == 1
    }

    /// Whether all slots before that one are in the set.
    package func containsAll(below end: Int) -> Bool {
        if end < 64 { return ~first & ((1 << UInt64(end)) - 1) == 0 }
        return first == .max && (64..<Swift.max(64, end)).allSatisfy(containsBehind)
    }

    /// Adds the slot, if it is not there yet. Slots below 64 allocate nothing.
    ///
    /// - Precondition: `slot` is not negative.
    @inlinable public mutating func insert(_ slot: Int) {
        if slot < 64 {
            first |= 1 << UInt64(slot)
        } else {
            insertBehind(slot)
        }
    }

    @usableFromInline mutating func insertBehind(_ slot: Int) {
        let word = slot / 64 - 1
        while rest.count <= word { rest.append(0) }
        rest[word] |= 1 << UInt64(slot % 64)
    }

    /// Takes the slot out; does nothing where it is not in the set.
    ///
    /// - Precondition: `slot` is not negative.
    public mutating func remove(_ slot: Int) {
        if slot < 64 {
            first &= ~(1 << UInt64(slot))
        } else if slot / 64 - 1 < rest.count {
            rest[slot / 64 - 1] &= ~(1 << UInt64(slot % 64))
        }
    }

    /// Adds all slots of the other set.
    public mutating func formUnion(_ other: SlotSet) {
        first |= other.first
        while rest.count < other.rest.count { rest.append(0) }
        for (index, word) in other.rest.enumerated() { rest[index] |= word }
    }

    /// Whether both hold the same slots, however they came to.
    public static func == (left: SlotSet, right: SlotSet) -> Bool {
        guard left.first == right.first else { return false }
        return left.rest.isEmpty && right.rest.isEmpty || left.trimmed == right.trimmed
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(first)
        hasher.combine(trimmed)
    }

    private var trimmed: ArraySlice<UInt64> {
        rest.prefix((rest.lastIndex { $0 != 0 } ?? -1) + 1)
    }
}

extension SlotSet: Sequence {
    /// The slots from low to high.
    public func makeIterator() -> Iterator { Iterator(bits: first, rest: rest) }

    /// Takes the slots out of the words one by one; allocates nothing.
    public struct Iterator: IteratorProtocol {
        fileprivate var bits: UInt64
        fileprivate let rest: [UInt64]
        private var word = 0

        fileprivate init(bits: UInt64, rest: [UInt64]) {
            self.bits = bits
            self.rest = rest
        }

        /// The next slot. `nil` after the last.
        public mutating func next() -> Int? {
            while bits == 0 {
                guard word < rest.count else { return nil }
                bits = rest[word]
                word += 1
            }
            let bit = bits.trailingZeroBitCount
            bits &= bits - 1
            return word * 64 + bit
        }
    }
}

extension SlotSet: ExpressibleByArrayLiteral {
    /// A set of the slots, in any order.
    ///
    /// - Precondition: none is negative.
    public init(arrayLiteral slots: Int...) {
        for slot in slots { insert(slot) }
    }
}
