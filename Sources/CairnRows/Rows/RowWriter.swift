import CairnModel
import Foundation

/// Packs rows into slabs, one after the other.
///
/// Begin a row, set its values, and end it. Values that are not set are `nil`. Variable slots, such
/// as text and bytes, must be set in slot order. Fixed slots can be set in any order.
public struct RowWriter: ~Copyable {
    private let store: StoreNumber
    private let temporarySpace: StoreNumber
    @usableFromInline var batch = RowBatch()
    private var slab: RowSlab
    /// Whether the slab has the usual size.
    @usableFromInline var holdsMany = true
    /// The start of the slab, or `nil` while the slab is not in the batch.
    @usableFromInline var listedBase: UnsafeMutableRawPointer?
    private var layout: RowLayout?

    // Setting a value uses only these numbers and this pointer into the slab, so that it neither
    // counts references nor calls into this module. Using the slab and the layout instead would
    // triple the cost of packing a row.

    /// The start of the current row.
    @usableFromInline var base: UnsafeMutableRawPointer
    /// The number of bytes from ``base`` to the end of the slab.
    @usableFromInline var room: Int
    /// The number of bytes in the current row so far.
    @usableFromInline var length = 0
    /// From the layout: the offset of the table of ends, the offset of the variable bytes, and the
    /// number of variable slots.
    @usableFromInline var endsOffset = 0
    @usableFromInline var payloadOffset = 0
    @usableFromInline var variableCount = 0
    /// The index, among the variable slots, of the first slot whose end has not been recorded.
    @usableFromInline var nextVariable = 0

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - store: the store number in the IDs of the rows.
    ///   - temporarySpace: the space of temporary IDs for rows and to-one slots with negative keys,
    ///     which only contexts use.
    public init(
        store: StoreNumber, temporarySpace: StoreNumber = StoreNumber(rawValue: 0x8000_0000)
    ) {
        self.init(
            store, temporarySpace, RowSlab(store: store, temporarySpace: temporarySpace, atLeast: 0)
        )
    }

    /// Creates a writer for about `rowCount` rows.
    ///
    /// For few rows, the slab is small, because each row keeps its whole slab alive.
    package init(store: StoreNumber, rowCount: Int) {
        guard rowCount <= Self.few else {
            self.init(store: store)
            return
        }
        let temporarySpace = StoreNumber(rawValue: 0x8000_0000)
        self.init(
            store, temporarySpace,
            RowSlab(
                store: store, temporarySpace: temporarySpace,
                smallByteCount: max(rowCount, 1) * Self.roomForRow))
    }

    private init(_ store: StoreNumber, _ temporarySpace: StoreNumber, _ slab: RowSlab) {
        self.store = store
        self.temporarySpace = temporarySpace
        self.slab = slab
        base = slab.base
        room = slab.byteCount
    }

    private static let few = 16
    /// Enough for most rows. A row that needs more room gets another slab.
    private static let roomForRow = 1024

    /// The number of finished rows.
    public var count: Int { batch.count }

    /// Begins a row in which every value is `nil`.
    public mutating func begin(_ layout: RowLayout, key: Int64, version: Int64) {
        if layout !== self.layout {
            self.layout = layout
            endsOffset = layout.endsOffset
            variableCount = layout.variableCount
            payloadOffset = endsOffset + 4 * variableCount
        }
        length = 0
        nextVariable = 0
        reserve(payloadOffset)
        length = payloadOffset
        let blank = layout.blankRow.elements
        memcpy(base, blank.base, blank.count)
        store(key, at: 8)
        store(version, at: 16)
    }

    /// Begins a row with the fixed slots and the null bits of another row of the same layout.
    ///
    /// The caller then sets each slot that differs, to its value or to `nil`. The caller must also
    /// set each variable slot that is not `nil` in the other row, even if it does not differ.
    package mutating func begin(
        _ layout: RowLayout, key: Int64, version: Int64, fixedSlotsOf row: Row
    ) {
        begin(layout, key: key, version: version)
        let start = RowLayout.headerByteCount
        memcpy(base + start, row.bytes + start, endsOffset - start)
    }

    /// Sets a slot to `nil` if it may have a value from ``begin(_:key:version:fixedSlotsOf:)``.
    package mutating func setNull(at slot: RowLayout.Slot) {
        // Every `nil` is stored as zero bytes, so that equal values make equal rows.
        if !slot.kind.isVariable { memset(base + Int(slot.offset), 0, slot.kind.byteCount) }
        let word = RowLayout.headerByteCount + Int(slot.index) / 64 * 8
        let bits = UInt64(littleEndian: (base + word).loadUnaligned(as: UInt64.self))
        store(bits | 1 << UInt64(slot.index % 64), at: word)
    }

    /// Ends the row and adds it to the batch.
    public mutating func endRow() {
        noteEnds(upTo: variableCount)
        // Pads with eight zero bytes at once. The next row overwrites those after the end.
        reserve(8)
        store(0 as UInt64, at: length)
        length = (length + 7) & ~7
        store(UInt32(length), at: 0)
        addToBatch(length)
    }

    /// Adds the finished row to the batch. The next row begins after it.
    @inlinable @inline(__always) mutating func addToBatch(_ byteCount: Int) {
        let start = listedBase ?? listSlab()
        batch.entries.append(
            RowAddress(
                slab: UInt32(truncatingIfNeeded: batch.slabs.count &- 1),
                offset: UInt32(truncatingIfNeeded: base - start)))
        base += byteCount
        // A slab for one large row gets no other rows, because they would keep all of its memory
        // alive.
        room = holdsMany ? room &- byteCount : 0
        length = 0
    }

    /// Adds the slab to the batch and returns the start of the slab.
    @usableFromInline mutating func listSlab() -> UnsafeMutableRawPointer {
        batch.slabs.append(slab)
        listedBase = slab.base
        return slab.base
    }

    /// Adds a copy of a row. The copy belongs to the writer's store.
    ///
    /// - Precondition: no row has been begun.
    public mutating func append(copyOf row: Row) { append(copyOf: row.pointer) }

    /// Adds a copy of a row.
    ///
    /// - Precondition: no row has been begun.
    package mutating func append(copyOf row: RowPointer) {
        let byteCount = row.byteCount
        length = 0
        reserve(byteCount)
        // The row may be there already: see ``copyIn(_:numberedBy:checkedBy:)``.
        if row.bytes != UnsafeRawPointer(base) { memcpy(base, row.bytes, byteCount) }
        addToBatch(byteCount)
    }

    /// Checks the bytes that ``Row/withBytes(_:)`` provided, and adds them as a row.
    ///
    /// - Precondition: no row has been begun.
    /// - Throws: the errors of `RowLayouts.check(_:)`. Nothing has been added then.
    public mutating func append(
        bytes: UnsafeRawBufferPointer, checkedBy layouts: RowLayouts
    ) throws(RowDamage) {
        try layouts.checks.check(bytes)
        length = 0
        reserve(bytes.count)
        if let source = bytes.baseAddress { memcpy(base, source, bytes.count) }
        addToBatch(bytes.count)
    }

    /// Copies bytes to where the next row begins, without adding them to the batch.
    mutating func copyIn(_ bytes: UnsafeRawBufferPointer) -> UnsafeMutableRawBufferPointer {
        length = 0
        reserve(bytes.count)
        if let source = bytes.baseAddress { memcpy(base, source, bytes.count) }
        return UnsafeMutableRawBufferPointer(start: base, count: bytes.count)
    }

    /// Returns the finished rows and starts a new batch.
    public mutating func takeBatch() -> RowBatch {
        let result = batch
        batch = RowBatch()
        // A row of the next batch may share the slab. It comes after the rows that were returned.
        listedBase = nil
        return result
    }

    /// Returns the row that was finished last, and discards the rows before it. Returns `nil` if no
    /// row was finished. For rows that are needed one at a time, this costs about a tenth of
    /// creating a batch for each row.
    package mutating func takeRow() -> Row? {
        guard let entry = batch.entries.last else { return nil }
        batch.entries.removeAll(keepingCapacity: true)
        // The slab stays in the batch for the next row.
        if batch.slabs.count > 1 { batch.slabs = [slab] }
        return Row(slab: slab, bytes: UnsafeRawPointer(slab.base + Int(entry.offset)))
    }

    // MARK: Fixed slots

    /// Sets a Boolean slot.
    @inlinable @inline(__always) public mutating func set(_ value: Bool, at slot: RowLayout.Slot) {
        put(UInt8(value ? 1 : 0), slot)
    }
    /// Sets a 16-bit integer slot.
    @inlinable @inline(__always) public mutating func set(_ value: Int16, at slot: RowLayout.Slot) {
        put(value, slot)
    }
    /// Sets a 32-bit integer slot.
    @inlinable @inline(__always) public mutating func set(_ value: Int32, at slot: RowLayout.Slot) {
        put(value, slot)
    }
    /// Sets a 64-bit integer slot.
    @inlinable @inline(__always) public mutating func set(_ value: Int64, at slot: RowLayout.Slot) {
        put(value, slot)
    }
    /// Sets a float slot, bit for bit.
    @inlinable @inline(__always) public mutating func set(_ value: Float, at slot: RowLayout.Slot) {
        put(value.bitPattern, slot)
    }
    /// Sets a double slot, or a date slot to a number of seconds since 2001.
    @inlinable @inline(__always) public mutating func set(_ value: Double, at slot: RowLayout.Slot)
    {
        put(value.bitPattern, slot)
    }
    /// Sets a decimal slot. Every digit is preserved.
    public mutating func set(_ value: Decimal, at slot: RowLayout.Slot) {
        DecimalCodec.encode(value, to: base + Int(slot.offset))
        clearNull(slot)
    }
    /// Sets a UUID slot.
    @inlinable public mutating func set(_ value: UUID, at slot: RowLayout.Slot) {
        (base + Int(slot.offset)).storeBytes(of: value.uuid, as: uuid_t.self)
        clearNull(slot)
    }
    /// Sets a to-one slot.
    ///
    /// - Parameters:
    ///   - key: the key of the destination. A negative key is temporary.
    ///   - entity: the concrete entity of the destination.
    ///   - slot: the slot, whose kind must be `.toOne`. This is not checked.
    @inlinable @inline(__always) public mutating func set(
        key: Int64, entity: EntityNumber, at slot: RowLayout.Slot
    ) {
        store(entity.rawValue, at: Int(slot.offset) + 8)
        put(key, slot)
    }

    // MARK: Variable slots

    /// Sets a variable slot to the given bytes, without converting them.
    ///
    /// - Precondition: no later variable slot of this row has been set.
    /// - Returns: whether the bytes are known to be ASCII. More than 128 bytes are not examined.
    /// - Throws: `.tooLarge`.
    @discardableResult
    @inlinable @inline(__always) public mutating func set(
        bytes: UnsafeRawBufferPointer, at slot: RowLayout.Slot
    ) throws(RowError) -> Bool {
        let index = Int(slot.variableIndex)
        precondition(index >= nextVariable, "variable slots must be set in slot order")
        guard length + bytes.count < Int(Int32.max) else { throw tooLarge(slot) }
        noteEnds(upTo: index)
        reserve(bytes.count)
        var isASCII = false
        if bytes.count <= 128 {
            isASCII = bytes.copyWords(to: base + length) & 0x8080_8080_8080_8080 == 0
        } else if let source = bytes.baseAddress {
            (base + length).copyMemory(from: source, byteCount: bytes.count)
        }
        length += bytes.count
        // In a variable slot, `offset` is where the slot's end is recorded.
        store(UInt32(truncatingIfNeeded: length - payloadOffset), at: Int(slot.offset))
        nextVariable = index + 1
        clearNull(slot)
        return isASCII
    }

    /// Sets a string or URI slot.
    ///
    /// - Precondition: no later variable slot of this row has been set.
    /// - Throws: `.tooLarge`.
    @inlinable public mutating func set(
        _ text: String, at slot: RowLayout.Slot
    ) throws(RowError) {
        var failure: RowError?
        // Do not copy the text, because a copy counts references. A text that is not stored as
        // contiguous UTF-8 has to be copied.
        let lent: Void? = text.utf8.withContiguousStorageIfAvailable { utf8 in
            do throws(RowError) {
                try set(bytes: UnsafeRawBufferPointer(utf8), at: slot)
            } catch {
                failure = error
            }
        }
        guard lent == nil else {
            if let failure { throw failure }
            return
        }
        var copy = text
        copy.makeContiguousUTF8()
        try set(copy, at: slot)
    }

    /// Sets a binary or transformable slot.
    ///
    /// - Precondition: no later variable slot of this row has been set.
    /// - Throws: `.tooLarge`.
    public mutating func set(_ data: Data, at slot: RowLayout.Slot) throws(RowError) {
        var failure: RowError?
        data.withUnsafeBytes { bytes in
            do throws(RowError) {
                try set(bytes: bytes, at: slot)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    /// Sets an external-binary slot.
    ///
    /// - Precondition: no later variable slot of this row has been set.
    /// - Throws: `.tooLarge`.
    package mutating func set(
        _ value: ExternalBinary, at slot: RowLayout.Slot
    ) throws(RowError) {
        switch value {
        case .inline(let data): try set(Data([ExternalBinary.inlineMark]) + data, at: slot)
        case .reference(let reference):
            try set(Data([ExternalBinary.referenceMark]) + Data(reference.name.utf8), at: slot)
        }
    }

    /// Sets a slot to the value, including `nil`, of the same slot in a row of the same entity.
    ///
    /// - Precondition: no later variable slot of this row has been set.
    /// - Throws: `.tooLarge`.
    package mutating func set(_ slot: RowLayout.Slot, from row: Row) throws(RowError) {
        try set(slot, from: row, at: slot)
    }

    /// Sets a slot to the value, including `nil`, of a slot of the same kind in a row of any
    /// entity.
    ///
    /// - Precondition: no later variable slot of this row has been set. The slots have the same
    ///   kind.
    /// - Throws: `.tooLarge`.
    package mutating func set(
        _ slot: RowLayout.Slot, from row: Row, at source: RowLayout.Slot
    ) throws(RowError) {
        if row.isNull(source) { return }
        if slot.kind.isVariable {
            try set(bytes: row.unsafeBytes(source), at: slot)
            return
        }
        memcpy(base + Int(slot.offset), row.bytes + Int(source.offset), slot.kind.byteCount)
        clearNull(slot)
    }

    // MARK: Room

    /// Moves the unfinished row to a new slab with room for `more` additional bytes.
    @usableFromInline mutating func moveToNewSlab(for more: Int) {
        let needed = length + more
        // A row that outgrew a usual slab may grow further. Doubling the size keeps the cost of
        // growing linear.
        let next = RowSlab(
            store: store, temporarySpace: temporarySpace,
            atLeast: needed < RowSlab.usualByteCount / 2 ? needed : needed * 2)
        if length > 0 { memcpy(next.base, base, length) }
        slab = next
        listedBase = nil
        base = next.base
        room = next.byteCount
        holdsMany = room == RowSlab.usualByteCount
    }

    @usableFromInline func tooLarge(_ slot: RowLayout.Slot) -> RowError {
        .tooLarge(
            entity: layout?.entity.name ?? "",
            property: layout?.properties[Int(slot.index)].name ?? "")
    }
}
