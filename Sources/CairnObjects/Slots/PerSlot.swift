import CairnModel
import CairnRows

/// A collection with one element for each slot of a kind, in the order of the slot numbers.
struct PerSlot<Slot: SlotNumber, Element> {
    private(set) var elements: ContiguousArray<Element>

    /// - Parameter elements: The elements, in the order of the slot numbers.
    init(_ elements: ContiguousArray<Element> = []) {
        self.elements = elements
    }

    init(repeating element: Element, count: Int) {
        elements = ContiguousArray(repeating: element, count: count)
    }

    var count: Int { elements.count }
    var isEmpty: Bool { elements.isEmpty }

    /// Returns whether there is an element for the slot.
    func contains(_ slot: Slot) -> Bool { slot.index < elements.count }

    subscript(slot: Slot) -> Element {
        get { elements[slot.index] }
        set { elements[slot.index] = newValue }
    }

    /// Changes the element of a slot in place.
    mutating func update(_ slot: Slot, _ body: (inout Element) -> Void) {
        body(&elements[slot.index])
    }

    /// Changes every element in place.
    mutating func updateAll(_ body: (inout Element) -> Void) {
        for index in elements.indices { body(&elements[index]) }
    }

    /// Appends the elements of another collection for slots that this collection does not have.
    mutating func extend(with other: PerSlot) {
        elements += other.elements.dropFirst(elements.count)
    }
}

extension PerSlot: Sendable where Element: Sendable {}

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
