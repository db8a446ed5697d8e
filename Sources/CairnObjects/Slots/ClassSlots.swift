import CairnRows

/// A table that maps the slots of a class to slots in the packed row. This is the only way to convert a
/// ``ClassSlot`` to a ``RowSlot``.
@usableFromInline struct ClassSlots {
    @usableFromInline let layoutSlots: FrozenElements<RowLayout.Slot>

    /// - Parameter table: A result of ``table(_:named:_:)``. The owner of the slots must also keep the
    ///   table alive.
    init(_ table: FrozenTable<RowLayout.Slot>) { layoutSlots = table.elements }

    private init(noneOf slots: ClassSlots) { layoutSlots = slots.layoutSlots.none }

    /// Returns the slots in the packed row, in the order of the class's slots.
    ///
    /// - Parameters:
    ///   - names: The properties that the class lists. The layout has all of them.
    ///   - marks: The class's ``Managed`` properties, whose slots are their offsets. The slot of a
    ///     property that rows do not hold, and of each offset between properties, is never read by an
    ///     accessor.
    static func table(
        _ layout: RowLayout, named names: [String], _ marks: [ClassMarks.Mark]
    ) -> FrozenTable<RowLayout.Slot> {
        let named = layout.slotNumbers(of: names).compactMap(\.self)
        guard marks.isEmpty else { return markedTable(layout, named, marks) }
        // Every new context creates these tables. A set would take longer than all other code of this
        // function.
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

    /// A table without slots. It is valid only as long as this table.
    var none: ClassSlots { ClassSlots(noneOf: self) }

    /// Returns whether the class has the slot.
    @inlinable @inline(__always) func contains(_ slot: ClassSlot) -> Bool {
        UInt(bitPattern: slot.numberInClass) < UInt(bitPattern: layoutSlots.count)
    }

    /// Returns the slot in the packed row that holds the value of a class's slot.
    ///
    /// - Precondition: The table contains the slot.
    @inlinable @inline(__always) func layoutSlot(of slot: ClassSlot) -> RowLayout.Slot {
        layoutSlots[slot.numberInClass]
    }

    /// Returns the class's slot for a slot in the packed row, or `nil` if the class has no such slot.
    func slot(of layoutSlot: RowLayout.Slot) -> ClassSlot? {
        layoutSlots.indices.first {
            layoutSlots[$0].index == layoutSlot.index && layoutSlots[$0].code == layoutSlot.code
        }
        .map(ClassSlot.init(integerLiteral:))
    }
}
