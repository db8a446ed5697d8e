import CairnStore

/// Where rows hold the property of each slot of a class: the only way from ``ClassSlot`` to
/// ``RowSlot``.
@usableFromInline struct ClassSlots {
    // A plain pointer, which accessors read without counting references.
    @usableFromInline let places: UnsafePointer<RowLayout.Slot>
    @usableFromInline let count: Int

    /// Allocates the table; the owner calls ``deallocate()`` when it is done.
    ///
    /// - Parameter names: what the class names; the layout has all of them.
    init(_ layout: RowLayout, named names: [String]) {
        let named = layout.slotNumbers(of: names).compactMap(\.self)
        // A new context makes these tables: a set would take longer than all else here.
        var isNamed = Array(repeating: false, count: layout.slots.count)
        for number in named { isNamed[number] = true }
        let slots = (named + layout.slots.indices.filter { !isNamed[$0] }).map { layout.slots[$0] }
        let table = UnsafeMutablePointer<RowLayout.Slot>.allocate(capacity: slots.count)
        for (index, slot) in slots.enumerated() { (table + index).initialize(to: slot) }
        places = UnsafePointer(table)
        count = slots.count
    }

    private init(noneOf slots: ClassSlots) {
        places = slots.places
        count = 0
    }

    func deallocate() { places.deallocate() }

    /// A table that has no slot, for as long as this one is there.
    var none: ClassSlots { ClassSlots(noneOf: self) }

    /// Whether the class has a slot of that number.
    @inlinable @inline(__always) func contains(_ slot: ClassSlot) -> Bool {
        UInt(bitPattern: slot.numberInClass) < UInt(bitPattern: count)
    }

    /// Returns where the slot's value is in a row.
    ///
    /// - Precondition: the table contains the slot.
    @inlinable @inline(__always) func place(of slot: ClassSlot) -> RowLayout.Slot {
        places[slot.numberInClass]
    }

    /// Returns the slot of a row's slot. Returns `nil` if that is of another layout.
    func slot(of place: RowLayout.Slot) -> ClassSlot? {
        (0..<count).first { places[$0].index == place.index }
            .map(ClassSlot.init(integerLiteral:))
    }
}
