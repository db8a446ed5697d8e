import CairnStore

/// A table from the slots of a class to the slots of the packed row: the only way from ``ClassSlot``
/// to ``RowSlot``.
@usableFromInline struct ClassSlots {
    @usableFromInline let layoutSlots: FrozenElements<RowLayout.Slot>

    /// - Parameter table: what ``table(_:named:)`` made. Whoever keeps the slots keeps the table.
    init(_ table: FrozenTable<RowLayout.Slot>) { layoutSlots = table.elements }

    private init(noneOf slots: ClassSlots) { layoutSlots = slots.layoutSlots.none }

    /// Returns the slots of the packed row in the order of the class's slots.
    ///
    /// - Parameters:
    ///   - names: the properties that the class names. The layout has all of them.
    ///   - marks: the properties that the class marks. Their slots are their offsets. One that rows do not
    ///     hold, and each offset between marks, has a slot that no accessor reads.
    static func table(
        _ layout: RowLayout, named names: [String], _ marks: [ClassMarks.Mark]
    ) -> FrozenTable<RowLayout.Slot> {
        let named = layout.slotNumbers(of: names).compactMap(\.self)
        guard marks.isEmpty else { return markedTable(layout, named, marks) }
        // A new context creates these tables. A set would take longer than everything else here.
        var isNamed = Array(repeating: false, count: layout.slots.count)
        for number in named { isNamed[number] = true }
        let unnamed = layout.slots.indices.filter { !isNamed[$0] }
        return FrozenTable((named + unnamed).map { layout.slots[$0] })
    }

    private static func markedTable(
        _ layout: RowLayout, _ named: [Int], _ marks: [ClassMarks.Mark]
    ) -> FrozenTable<RowLayout.Slot> {
        let end = marks.reduce(0) { max($0, $1.offset) } + 1
        var slots = Array(repeating: RowLayout.Slot.unread, count: end)
        for (index, number) in named.enumerated() { slots[index] = layout.slots[number] }
        for (mark, number) in zip(marks, layout.slotNumbers(of: marks.map(\.name))) {
            if let number { slots[mark.offset] = layout.slots[number] }
        }
        let listed = Set(slots.lazy.filter { $0.code != RowLayout.Slot.unread.code }.map(\.index))
        return FrozenTable(slots + layout.slots.filter { !listed.contains($0.index) })
    }

    /// A table without slots. It is valid only as long as this one.
    var none: ClassSlots { ClassSlots(noneOf: self) }

    /// Whether the class has a slot of that number.
    @inlinable @inline(__always) func contains(_ slot: ClassSlot) -> Bool {
        UInt(bitPattern: slot.numberInClass) < UInt(bitPattern: layoutSlots.count)
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
        layoutSlots.indices.first {
            layoutSlots[$0].index == layoutSlot.index && layoutSlots[$0].code == layoutSlot.code
        }
        .map(ClassSlot.init(integerLiteral:))
    }
}
