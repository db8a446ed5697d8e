import CairnModel
import Foundation

/// Packs rows, one after the other, into slabs.
///
/// Begin a row, set its values, end it. What is not set is nil. Variable slots (text, bytes) are
/// set in the order of their slots; fixed ones in any order.
public struct RowWriter: ~Copyable {
    private let store: StoreNumber
    private let temporarySpace: StoreNumber
    @usableFromInline var batch = RowBatch()
    private var slab: RowSlab
    /// Whether the slab is of the usual size.
    @usableFromInline var holdsMany = true
    /// Where the slab begins. `nil` as long as the slab is not one of the batch's.
    @usableFromInline var listedBase: UnsafeMutableRawPointer?
    private var layout: RowLayout?

    // Setting a value touches only these numbers and this pointer into the slab, so that it neither
    // counts references nor calls into this module. Packing a row costs a third of what it costs if
    // the slab and the layout are asked instead.

    /// Where the current row begins.
    @usableFromInline var base: UnsafeMutableRawPointer
    /// How many bytes there are from there on.
    @usableFromInline var room: Int
    /// How many bytes the current row has so far.
    @usableFromInline var length = 0
    /// Of the layout: where ends are noted, where variable bytes begin, how many ends there are.
    @usableFromInline var endsOffset = 0
    @usableFromInline var payloadOffset = 0
    @usableFromInline var variableCount = 0
    /// The first variable slot, counted among them, whose end is not noted.
    @usableFromInline var nextVariable = 0

    /// - Parameter temporarySpace: of to-ones with a negative key; only contexts have those.
    public init(
        store: StoreNumber, temporarySpace: StoreNumber = StoreNumber(rawValue: 0x8000_0000)
    ) {
        self.init(
            store, temporarySpace, RowSlab(store: store, temporarySpace: temporarySpace, atLeast: 0)
        )
    }

    /// Creates a writer for about `rowCount` rows.
    ///
    /// Few rows get a small slab, because each row that is kept alive keeps its whole slab alive.
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
    /// Enough for most rows. A row that needs more gets another slab.
    private static let roomForRow = 1024

    /// How many rows were ended.
    public var count: Int { batch.count }

    /// Begins a row, every value nil.
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
        layout.blankRow.withUnsafeBytes { blank in
            if let source = blank.baseAddress { memcpy(base, source, blank.count) }
        }
        store(key, at: 8)
        store(version, at: 16)
    }

    /// Begins a row with what another one of the same layout has in its fixed slots, and with its nils.
    ///
    /// The caller then sets each slot that differs to its value or to nil. In any case it sets each
    /// variable slot that is not nil in the other row to its value or to nil.
    package mutating func begin(
        _ layout: RowLayout, key: Int64, version: Int64, fixedSlotsOf row: Row
    ) {
        begin(layout, key: key, version: version)
        let start = RowLayout.headerByteCount
        memcpy(base + start, row.bytes + start, endsOffset - start)
    }

    /// Sets a slot to nil that may have a value by ``begin(_:key:version:fixedSlotsOf:)``.
    package mutating func setNull(at slot: RowLayout.Slot) {
        // Zero bytes, as every nil has them: equal values make equal rows.
        if !slot.kind.isVariable { memset(base + Int(slot.offset), 0, slot.kind.byteCount) }
        let word = RowLayout.headerByteCount + Int(slot.index) / 64 * 8
        let bits = UInt64(littleEndian: (base + word).loadUnaligned(as: UInt64.self))
        store(bits | 1 << UInt64(slot.index % 64), at: word)
    }

    /// Ends the row and adds it to the batch.
    public mutating func endRow() {
        noteEnds(upTo: variableCount)
        let padding = -length & 7
        reserve(padding)
        for offset in length..<length + padding { store(0 as UInt8, at: offset) }
        length += padding
        store(UInt32(length), at: 0)
        addToBatch(length)
    }

    /// Adds the finished row to the batch; the next one begins after it.
    @inlinable @inline(__always) mutating func addToBatch(_ byteCount: Int) {
        let start = listedBase ?? listSlab()
        batch.entries.append(
            RowAddress(
                slab: UInt32(truncatingIfNeeded: batch.slabs.count &- 1),
                offset: UInt32(truncatingIfNeeded: base - start)))
        base += byteCount
        // A slab made for one large row holds no other: what is added later would keep it alive.
        room = holdsMany ? room &- byteCount : 0
        length = 0
    }

    /// Makes the slab one of the batch's, and returns where it begins.
    @usableFromInline mutating func listSlab() -> UnsafeMutableRawPointer {
        batch.slabs.append(slab)
        listedBase = slab.base
        return slab.base
    }

    /// Adds a copy of a row, as it is but for its slab's store.
    ///
    /// - Precondition: no row is begun.
    public mutating func append(copyOf row: Row) { append(copyOf: row.pointer) }

    /// Adds a copy of a row, as it is.
    ///
    /// - Precondition: no row is begun.
    package mutating func append(copyOf row: RowPointer) {
        let byteCount = row.byteCount
        length = 0
        reserve(byteCount)
        // It may stand there already: see ``copyIn(_:numberedBy:checkedBy:)``.
        if row.bytes != UnsafeRawPointer(base) { memcpy(base, row.bytes, byteCount) }
        addToBatch(byteCount)
    }

    /// Adds a row from bytes as ``Row/withBytes(_:)`` gives them, after checking them.
    ///
    /// - Precondition: no row is begun.
    /// - Throws: what ``RowLayouts/check(_:)`` throws; nothing was added then.
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

    /// Returns the rows that were ended; the writer begins again.
    public mutating func takeBatch() -> RowBatch {
        let result = batch
        batch = RowBatch()
        // A row of the next batch may share the slab: it stands after the ones handed out.
        listedBase = nil
        return result
    }

    /// Returns the row that was ended last, and forgets it and the rows before it. Returns `nil` if
    /// no row was ended. For rows one by one: costs about a tenth of making a batch for each.
    package mutating func takeRow() -> Row? {
        guard let entry = batch.entries.last else { return nil }
        batch.entries.removeAll(keepingCapacity: true)
        // The slab stays listed, for the next row.
        if batch.slabs.count > 1 { batch.slabs = [slab] }
        return Row(slab: slab, bytes: UnsafeRawPointer(slab.base + Int(entry.offset)))
    }

    // MARK: Fixed slots

    /// Sets a boolean slot.
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
    /// Sets a decimal slot, every digit kept.
    public mutating func set(_ value: Decimal, at slot: RowLayout.Slot) {
        DecimalCodec.encode(value, to: base + Int(slot.offset))
        clearNull(slot)
    }
    /// Sets a UUID slot.
    @inlinable public mutating func set(_ value: UUID, at slot: RowLayout.Slot) {
        (base + Int(slot.offset)).storeBytes(of: value.uuid, as: uuid_t.self)
        clearNull(slot)
    }
    /// Sets a to-one slot. The entity is the destination's concrete one.
    @inlinable @inline(__always) public mutating func set(
        key: Int64, entity: EntityNumber, at slot: RowLayout.Slot
    ) {
        store(entity.rawValue, at: Int(slot.offset) + 8)
        put(key, slot)
    }

    // MARK: Variable slots

    /// Sets a variable slot to the bytes, as they are.
    ///
    /// - Precondition: no later variable slot of this row was set.
    /// - Throws: `.tooLarge`.
    @inlinable @inline(__always) public mutating func set(
        bytes: UnsafeRawBufferPointer, at slot: RowLayout.Slot
    ) throws(RowError) {
        let index = Int(slot.variableIndex)
        precondition(index >= nextVariable, "variable slots are set in slot order")
        guard length + bytes.count < Int(Int32.max) else { throw tooLarge(slot) }
        noteEnds(upTo: index)
        reserve(bytes.count)
        if let source = bytes.baseAddress {
            (base + length).copyMemory(from: source, byteCount: bytes.count)
        }
        length += bytes.count
        // The slot's offset is where its end is noted.
        store(UInt32(truncatingIfNeeded: length - payloadOffset), at: Int(slot.offset))
        nextVariable = index + 1
        clearNull(slot)
    }

    /// Sets a string or URI slot.
    ///
    /// - Precondition: no later variable slot of this row was set.
    /// - Throws: `.tooLarge`.
    @inlinable public mutating func set(
        _ text: String, at slot: RowLayout.Slot
    ) throws(RowError) {
        var failure: RowError?
        // Without a copy of the text, because a copy counts references. A text that is not stored as
        // UTF-8 cannot lend its bytes.
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
    /// - Precondition: no later variable slot of this row was set.
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
    /// - Precondition: no later variable slot of this row was set.
    /// - Throws: `.tooLarge`.
    public mutating func set(
        _ value: ExternalBinary, at slot: RowLayout.Slot
    ) throws(RowError) {
        switch value {
        case .inline(let data): try set(Data([ExternalBinary.inlineMark]) + data, at: slot)
        case .reference(let reference):
            try set(Data([ExternalBinary.referenceMark]) + Data(reference.name.utf8), at: slot)
        }
    }

    /// Sets a slot to what a row of the same entity has there, nil too.
    ///
    /// - Precondition: no later variable slot of this row was set.
    /// - Throws: `.tooLarge`.
    package mutating func set(_ slot: RowLayout.Slot, from row: Row) throws(RowError) {
        try set(slot, from: row, at: slot)
    }

    /// Sets a slot to what a row of any entity has in a slot of the same kind, `nil` too.
    ///
    /// - Precondition: no later variable slot of this row was set; the slots are of one kind.
    /// - Throws: `.tooLarge`.
    package mutating func set(
        _ slot: RowLayout.Slot, from row: Row, at source: RowLayout.Slot
    ) throws(RowError) {
        if row.isNull(source) { return }
        if slot.kind.isVariable { return try set(bytes: row.unsafeBytes(source), at: slot) }
        memcpy(base + Int(slot.offset), row.bytes + Int(source.offset), slot.kind.byteCount)
        clearNull(slot)
    }

    // MARK: Room

    /// Moves the row, as far as it is written, to a slab with room for that many more bytes.
    @usableFromInline mutating func moveToNewSlab(for more: Int) {
        let needed = length + more
        // A row that outgrew a usual slab may grow on: double, so that growing stays linear.
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
