import CairnModel
import Foundation

/// Packs rows, one after the other, into slabs.
///
/// Begin a row, set its values, end it. What is not set is nil. Variable slots (text, bytes) are
/// set in the order of their slots; fixed ones in any order.
public struct RowWriter: ~Copyable {
    private let store: StoreNumber
    private let temporarySpace: StoreNumber
    private var batch = RowBatch()
    private var slab: RowSlab?
    /// Where the current row begins, and how many bytes it has so far.
    private var start = 0
    private var length = 0
    private var layout: RowLayout?
    /// The first variable slot, counted among them, whose end is not noted.
    private var nextVariable = 0

    /// - Parameter temporarySpace: of to-ones with a negative key; only contexts have those.
    public init(
        store: StoreNumber, temporarySpace: StoreNumber = StoreNumber(rawValue: 0x8000_0000)
    ) {
        self.store = store
        self.temporarySpace = temporarySpace
    }

    /// How many rows were ended.
    public var count: Int { batch.count }

    /// Begins a row, every value nil.
    public mutating func begin(_ layout: RowLayout, key: Int64, version: Int64) {
        self.layout = layout
        length = 0
        nextVariable = 0
        let fixed = layout.endsOffset + 4 * layout.variableCount
        reserve(fixed)
        length = fixed
        let row = base
        memset(row, 0, fixed)
        store(UInt16(layout.entity.number.rawValue), at: 4)
        store(UInt16(layout.entity.rootEntity.number.rawValue), at: 6)
        store(key, at: 8)
        store(version, at: 16)
        for word in 0..<(layout.slots.count + 63) / 64 {
            let bits = min(64, layout.slots.count - word * 64)
            store(UInt64.max >> UInt64(64 - bits), at: RowLayout.headerByteCount + word * 8)
        }
    }

    /// Ends the row and adds it to the batch.
    public mutating func endRow() {
        guard let layout else { return }
        noteEnds(upTo: layout.variableCount)
        let padding = (8 - length % 8) % 8
        reserve(padding)
        memset(base + length, 0, padding)
        length += padding
        store(UInt32(length), at: 0)
        addToBatch()
        self.layout = nil
    }

    /// Adds the finished row at `start` to the batch; the next one begins behind it.
    private mutating func addToBatch() {
        guard let slab else { return }
        if batch.slabs.last !== slab { batch.slabs.append(slab) }
        batch.entries.append(
            RowBatch.Entry(slab: UInt32(batch.slabs.count - 1), offset: UInt32(start)))
        start += length
    }

    /// Adds a copy of a row, as it is but for its slab's store.
    ///
    /// - Precondition: no row is begun.
    public mutating func append(copyOf row: Row) {
        let byteCount = row.byteCount
        length = 0
        reserve(byteCount)
        memcpy(base, row.bytes, byteCount)
        length = byteCount
        addToBatch()
    }

    /// Adds a row from bytes as ``Row/withBytes(_:)`` gives them, after checking them.
    ///
    /// - Precondition: no row is begun.
    /// - Throws: what ``RowLayouts/check(_:)`` throws; nothing was added then.
    public mutating func append(
        bytes: UnsafeRawBufferPointer, checkedBy layouts: RowLayouts
    ) throws(RowDamage) {
        _ = try layouts.check(bytes)
        length = 0
        reserve(bytes.count)
        if let source = bytes.baseAddress { memcpy(base, source, bytes.count) }
        length = bytes.count
        addToBatch()
    }

    /// Returns the rows that were ended; the writer begins anew.
    public mutating func takeBatch() -> RowBatch {
        let result = batch
        batch = RowBatch()
        // A row of the next batch may share the slab: it stands behind the ones handed out.
        return result
    }

    // MARK: Fixed slots

    /// Sets a boolean slot.
    @inline(__always) public mutating func set(_ value: Bool, at slot: RowLayout.Slot) {
        put(UInt8(value ? 1 : 0), slot)
    }
    /// Sets a 16-bit integer slot.
    @inline(__always) public mutating func set(_ value: Int16, at slot: RowLayout.Slot) {
        put(value, slot)
    }
    /// Sets a 32-bit integer slot.
    @inline(__always) public mutating func set(_ value: Int32, at slot: RowLayout.Slot) {
        put(value, slot)
    }
    /// Sets a 64-bit integer slot.
    @inline(__always) public mutating func set(_ value: Int64, at slot: RowLayout.Slot) {
        put(value, slot)
    }
    /// Sets a float slot, bit for bit.
    @inline(__always) public mutating func set(_ value: Float, at slot: RowLayout.Slot) {
        put(value.bitPattern, slot)
    }
    /// Sets a double slot, or a date slot to so many seconds since 2001.
    @inline(__always) public mutating func set(_ value: Double, at slot: RowLayout.Slot) {
        put(value.bitPattern, slot)
    }
    /// Sets a decimal slot, every digit kept.
    public mutating func set(_ value: Decimal, at slot: RowLayout.Slot) {
        DecimalCodec.encode(value, to: base + Int(slot.offset))
        clearNull(slot)
    }
    /// Sets a UUID slot.
    public mutating func set(_ value: UUID, at slot: RowLayout.Slot) {
        (base + Int(slot.offset)).storeBytes(of: value.uuid, as: uuid_t.self)
        clearNull(slot)
    }
    /// Sets a to-one slot. The entity is the destination's concrete one.
    public mutating func set(key: Int64, entity: EntityNumber, at slot: RowLayout.Slot) {
        store(entity.rawValue, at: Int(slot.offset) + 8)
        put(key, slot)
    }

    // MARK: Variable slots

    /// Sets a variable slot to the bytes, as they are.
    ///
    /// - Precondition: no later variable slot of this row was set.
    /// - Throws: `.tooLarge`.
    public mutating func set(
        bytes: UnsafeRawBufferPointer, at slot: RowLayout.Slot
    ) throws(RowError) {
        precondition(
            Int(slot.variableIndex) >= nextVariable, "variable slots are set in slot order")
        guard length + bytes.count < Int(Int32.max) else { throw tooLarge(slot) }
        noteEnds(upTo: Int(slot.variableIndex))
        reserve(bytes.count)
        if let source = bytes.baseAddress { memcpy(base + length, source, bytes.count) }
        length += bytes.count
        noteEnds(upTo: Int(slot.variableIndex) + 1)
        clearNull(slot)
    }

    /// Sets a string or URI slot.
    ///
    /// - Precondition: no later variable slot of this row was set.
    /// - Throws: `.tooLarge`.
    public mutating func set(_ text: String, at slot: RowLayout.Slot) throws(RowError) {
        var text = text
        var failure: RowError?
        text.withUTF8 { utf8 in
            do throws(RowError) {
                try set(bytes: UnsafeRawBufferPointer(utf8), at: slot)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
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
        if row.isNull(slot) { return }
        if slot.kind.isVariable { return try set(bytes: row.unsafeBytes(slot), at: slot) }
        let offset = Int(slot.offset)
        memcpy(base + offset, row.bytes + offset, slot.kind.byteCount)
        clearNull(slot)
    }

    // MARK: Bytes

    private var base: UnsafeMutableRawPointer {
        // `begin` made the slab; a writer without one has no row to write to.
        slab.map { $0.base + start } ?? UnsafeMutableRawPointer(bitPattern: 8).unsafelyUnwrapped
    }

    @inline(__always) private mutating func put<T: FixedWidthInteger & BitwiseCopyable>(
        _ value: T, _ slot: RowLayout.Slot
    ) {
        store(value, at: Int(slot.offset))
        clearNull(slot)
    }

    @inline(__always) private mutating func clearNull(_ slot: RowLayout.Slot) {
        let word = RowLayout.headerByteCount + Int(slot.index) / 64 * 8
        let bits = UInt64(littleEndian: (base + word).loadUnaligned(as: UInt64.self))
        store(bits & ~(1 << UInt64(slot.index % 64)), at: word)
    }

    @inline(__always) private func store<T: FixedWidthInteger & BitwiseCopyable>(
        _ value: T, at offset: Int
    ) {
        (base + offset).storeBytes(of: value.littleEndian, as: T.self)
    }

    /// Notes where the variable slots before `count` end: the skipped ones are empty.
    private mutating func noteEnds(upTo count: Int) {
        guard let layout else { return }
        let payload = layout.endsOffset + 4 * layout.variableCount
        while nextVariable < count {
            store(UInt32(length - payload), at: layout.endsOffset + 4 * nextVariable)
            nextVariable += 1
        }
    }

    /// Makes room for so many bytes more, moving the row to a new slab where this one is full.
    private mutating func reserve(_ more: Int) {
        // A slab made for one large row holds no other: what is added later would keep it alive.
        if let slab, start + length + more <= slab.byteCount,
            start == 0 || slab.byteCount == RowSlab.usualByteCount
        {
            return
        }
        let needed = length + more
        // A row that outgrew a usual slab may grow on: double, so that growing stays linear.
        let next = RowSlab(
            store: store, temporarySpace: temporarySpace,
            atLeast: needed < RowSlab.usualByteCount / 2 ? needed : needed * 2)
        if length > 0 { memcpy(next.base, base, length) }
        slab = next
        start = 0
    }

    private func tooLarge(_ slot: RowLayout.Slot) -> RowError {
        .tooLarge(
            entity: layout?.entity.name ?? "",
            property: layout?.properties[Int(slot.index)].name ?? "")
    }
}
