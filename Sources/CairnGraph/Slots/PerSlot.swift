/// One element for each slot of a kind, in the order of their numbers.
struct PerSlot<Slot: SlotNumber, Element> {
    private(set) var elements: ContiguousArray<Element>

    /// - Parameter elements: in the order of the slots' numbers.
    init(_ elements: ContiguousArray<Element> = []) {
        self.elements = elements
    }

    init(repeating element: Element, count: Int) {
        elements = ContiguousArray(repeating: element, count: count)
    }

    var count: Int { elements.count }
    var isEmpty: Bool { elements.isEmpty }

    /// Whether there is an element for the slot.
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

    /// Adds the elements that another one has for slots beyond those here.
    mutating func extend(with other: PerSlot) {
        elements += other.elements.dropFirst(elements.count)
    }
}

extension PerSlot: Sendable where Element: Sendable {}
