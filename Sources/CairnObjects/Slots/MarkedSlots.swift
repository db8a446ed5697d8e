import CairnRows

/// A table that maps the marks of a class to slots in the packed row.
@usableFromInline struct MarkedSlots {
    @usableFromInline let layoutSlots: FrozenElements<RowLayout.Slot>

    /// - Parameter table: A result of ``table(_:_:)``. The owner of the slots must also keep the table alive.
    init(_ table: FrozenTable<RowLayout.Slot>) { layoutSlots = table.elements }

    private init(noneOf slots: MarkedSlots) { layoutSlots = slots.layoutSlots.none }

    /// Returns the slots in the packed row by the offsets of the class's marks. The slot of a property that rows
    /// do not hold, and of each offset between marks, is never read by an accessor.
    static func table(
        _ layout: RowLayout, _ marks: [ClassMarks.Mark]
    ) -> FrozenTable<RowLayout.Slot> {
        let count = marks.reduce(0) { max($0, $1.offset + 1) }
        var slots = Array(repeating: RowLayout.Slot.unread, count: count)
        for (mark, number) in zip(marks, layout.slotNumbers(of: marks.map(\.name))) {
            if let number { slots[mark.offset] = layout.slots[number] }
        }
        return FrozenTable(slots)
    }

    /// A table without slots. It is valid only as long as this table.
    var none: MarkedSlots { MarkedSlots(noneOf: self) }

    /// Returns the slot in the packed row that holds the value of a marked property. Returns `nil` if the table
    /// has no slot for it.
    @inlinable @inline(__always) subscript(mark: _Property.Mark) -> RowLayout.Slot? {
        UInt(bitPattern: mark.bytes) < UInt(bitPattern: layoutSlots.count)
            ? layoutSlots[mark.bytes] : nil
    }
}
