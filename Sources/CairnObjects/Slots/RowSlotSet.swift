import CairnModel
import CairnRows

/// A set of row slots.
struct RowSlotSet: Sequence, Sendable {
    /// The set in the form that engines receive.
    private(set) var numbers = SlotSet()

    /// Creates an empty set without allocating memory.
    init() {}

    /// Creates the set of all slots for which there are values.
    init(of values: PerSlot<RowSlot, Value>) {
        numbers = SlotSet(0..<values.count)
    }

    var isEmpty: Bool { numbers.isEmpty }

    @inline(__always) func contains(_ slot: RowSlot) -> Bool { numbers.contains(slot.index) }

    /// Returns whether the set contains all slots with numbers below `end`.
    func containsAll(below end: Int) -> Bool { numbers.containsAll(below: end) }

    mutating func insert(_ slot: RowSlot) { numbers.insert(slot.index) }
    mutating func remove(_ slot: RowSlot) { numbers.remove(slot.index) }
    mutating func formUnion(_ other: RowSlotSet) { numbers.formUnion(other.numbers) }

    /// Returns an iterator over the slots, in ascending order of their numbers.
    func makeIterator() -> Iterator { Iterator(numbers: numbers.makeIterator()) }

    struct Iterator: IteratorProtocol {
        fileprivate var numbers: SlotSet.Iterator

        mutating func next() -> RowSlot? { numbers.next().map(RowSlot.init) }
    }
}
