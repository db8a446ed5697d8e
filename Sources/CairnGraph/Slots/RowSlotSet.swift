import CairnModel
import CairnStore

/// A set of row slots.
struct RowSlotSet: Sequence, Sendable {
    /// The set as engines get it.
    private(set) var numbers = SlotSet()

    /// Creates an empty set, which allocates nothing.
    init() {}

    /// Creates the set of the slots that the values are of.
    init(of values: PerSlot<RowSlot, Value>) {
        numbers = SlotSet(0..<values.count)
    }

    var isEmpty: Bool { numbers.isEmpty }

    @inline(__always) func contains(_ slot: RowSlot) -> Bool { numbers.contains(slot.index) }

    /// Whether all slots with a number below this one are in the set.
    func containsAll(below end: Int) -> Bool { numbers.containsAll(below: end) }

    mutating func insert(_ slot: RowSlot) { numbers.insert(slot.index) }
    mutating func remove(_ slot: RowSlot) { numbers.remove(slot.index) }
    mutating func formUnion(_ other: RowSlotSet) { numbers.formUnion(other.numbers) }

    /// The slots, from low numbers to high ones.
    func makeIterator() -> Iterator { Iterator(numbers: numbers.makeIterator()) }

    struct Iterator: IteratorProtocol {
        fileprivate var numbers: SlotSet.Iterator

        mutating func next() -> RowSlot? { numbers.next().map(RowSlot.init) }
    }
}
