/// A set of row slots, such as the slots whose values changed.
public struct SlotSet: Sendable, Hashable {
    @usableFromInline var first: UInt64 = 0
    /// Bits for slots from 64 on. Most entities do not have that many.
    @usableFromInline var rest: [UInt64] = []

    /// Creates an empty set without allocating memory.
    public init() {}

    /// Creates a set with the slots of a range.
    ///
    /// - Precondition: the lower bound is not negative.
    package init(_ slots: Range<Int>) {
        let end = Swift.min(slots.upperBound, 64)
        if slots.lowerBound < end {
            first = (UInt64.max >> UInt64(64 - end)) & (UInt64.max << UInt64(slots.lowerBound))
        }
        for slot in slots.dropFirst(Swift.max(0, 64 - slots.lowerBound)) { insert(slot) }
    }

    /// Creates a set with some slots, none of which is negative.
    package init(_ slots: some Sequence<Int>) {
        for slot in slots { insert(slot) }
    }

    /// Whether the set is empty.
    @inlinable public var isEmpty: Bool { first == 0 && rest.allSatisfy { $0 == 0 } }

    /// The number of slots in the set.
    package var count: Int { rest.reduce(first.nonzeroBitCount) { $0 + $1.nonzeroBitCount } }

    /// Returns whether the slot is in the set.
    ///
    /// - Precondition: `slot` is not negative.
    @inlinable @inline(__always) public func contains(_ slot: Int) -> Bool {
        if slot < 64 { return first &>> UInt64(truncatingIfNeeded: slot) & 1 == 1 }
        return containsInRest(slot)
    }

    @usableFromInline func containsInRest(_ slot: Int) -> Bool {
        let word = slot / 64 - 1
        return word < rest.count && rest[word] >> UInt64(slot % 64) & 1 == 1
    }

    /// Returns whether the set contains all slots less than `end`.
    package func containsAll(below end: Int) -> Bool {
        if end < 64 { return ~first & ((1 << UInt64(end)) - 1) == 0 }
        return first == .max && (64..<Swift.max(64, end)).allSatisfy(containsInRest)
    }

    /// Inserts the slot if it is not in the set yet. Slots below 64 need no allocation.
    ///
    /// - Precondition: `slot` is not negative.
    @inlinable public mutating func insert(_ slot: Int) {
        if slot < 64 {
            first |= 1 << UInt64(slot)
        } else {
            insertIntoRest(slot)
        }
    }

    @usableFromInline mutating func insertIntoRest(_ slot: Int) {
        let word = slot / 64 - 1
        while rest.count <= word { rest.append(0) }
        rest[word] |= 1 << UInt64(slot % 64)
    }

    /// Removes the slot. Has no effect if the slot is not in the set.
    ///
    /// - Precondition: `slot` is not negative.
    package mutating func remove(_ slot: Int) {
        if slot < 64 {
            first &= ~(1 << UInt64(slot))
        } else if slot / 64 - 1 < rest.count {
            rest[slot / 64 - 1] &= ~(1 << UInt64(slot % 64))
        }
    }

    /// Inserts all slots of the other set.
    package mutating func formUnion(_ other: SlotSet) {
        first |= other.first
        while rest.count < other.rest.count { rest.append(0) }
        for (index, word) in other.rest.enumerated() { rest[index] |= word }
    }

    /// Returns whether both sets contain the same slots.
    public static func == (left: SlotSet, right: SlotSet) -> Bool {
        guard left.first == right.first else { return false }
        return left.rest.isEmpty && right.rest.isEmpty || left.trimmed == right.trimmed
    }

    /// Hashes the parts that `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(first)
        hasher.combine(trimmed)
    }

    private var trimmed: ArraySlice<UInt64> {
        rest.prefix((rest.lastIndex { $0 != 0 } ?? -1) + 1)
    }
}

extension SlotSet: Sequence {
    /// Returns an iterator over the slots in ascending order.
    public func makeIterator() -> Iterator { Iterator(bits: first, rest: rest) }

    /// An iterator over the slots of a set. It does not allocate memory.
    public struct Iterator: IteratorProtocol {
        fileprivate var bits: UInt64
        fileprivate let rest: [UInt64]
        private var word = 0

        fileprivate init(bits: UInt64, rest: [UInt64]) {
            self.bits = bits
            self.rest = rest
        }

        /// Returns the next slot, or `nil` after the last.
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
    /// Creates a set with the given slots, in any order.
    ///
    /// - Precondition: no slot is negative.
    public init(arrayLiteral slots: Int...) {
        for slot in slots { insert(slot) }
    }
}
