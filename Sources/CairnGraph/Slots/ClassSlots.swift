import CairnStore

/// A table from the slots of a class to the slots of the packed row: the only way from ``ClassSlot``
/// to ``RowSlot``.
@usableFromInline struct ClassSlots {
    // A plain pointer, which accessors read without counting references.
    @usableFromInline let layoutSlots: UnsafePointer<RowLayout.Slot>
    @usableFromInline let count: Int

    /// Allocates the table; the owner calls ``deallocate()`` when it is done.
    ///
    /// - Parameter names: the properties that the class names. The layout has all of them.
    init(_ layout: RowLayout, named names: [String]) {
        let named = layout.slotNumbers(of: names).compactMap(\.self)
        // A new context creates these tables. A set would take longer than everything else here.
        var isNamed = Array(repeating: false, count: layout.slots.count)
        for number in named { isNamed[number] = true }
        let slots = (named + layout.slots.indices.filter { !isNamed[$0] }).map { layout.slots[$0] }
        let table = UnsafeMutablePointer<RowLayout.Slot>.allocate(capacity: slots.count)
        for (index, slot) in slots.enumerated() { (table + index).initialize(to: slot) }
        layoutSlots = UnsafePointer(table)
        count = slots.count
    }

    private init(noneOf slots: ClassSlots) {
        layoutSlots = slots.layoutSlots
        count = 0
    }

    func deallocate() { layoutSlots.deallocate() }

    /// A table without slots. It is valid only as long as this one.
    var none: ClassSlots { ClassSlots(noneOf: self) }

    /// Whether the class has a slot of that number.
    @inlinable @inline(__always) func contains(_ slot: ClassSlot) -> Bool {
        UInt(bitPattern: slot.numberInClass) < UInt(bitPattern: count)
    }

    /// Returns the slot of the packed row that holds the slot's value.
    ///
    /// - Precondition: the table contains the slot.
    @inlinable @inline(__always) func layoutSlot(of slot: ClassSlot) -> RowLayout.Slot {
        layoutSlots[slot.numberInClass]
    }

    /// Returns the class's slot for a slot of the packed row. Returns `nil` if the class has no such
    /// slot.
    func slot(of layoutSlot: RowLayout.Slot) -> ClassSlot? {
        (0..<count).first { layoutSlots[$0].index == layoutSlot.index }
            .map(ClassSlot.init(integerLiteral:))
    }
}
