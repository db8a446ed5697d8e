import CairnModel
import Foundation

/// The stored values of one object at one version: immutable packed bytes.
///
/// Read by slots of the layout of its entity. Keeps its slab alive. The typed accessors do not
/// check for nil or kind: ask ``isNull(_:)`` first, and use the accessor of the slot's kind.
@frozen public struct Row: @unchecked Sendable {
    // Unchecked: the bytes belong to the slab, whose writer writes after them only.
    /// The memory that the bytes are in; shared with the rows packed beside this one.
    public let slab: RowSlab
    @usableFromInline let bytes: UnsafeRawPointer

    @inlinable init(slab: RowSlab, bytes: UnsafeRawPointer) {
        self.slab = slab
        self.bytes = bytes
    }

    /// Puts a row together again.
    ///
    /// - Precondition: the pointer is that of a row in the slab.
    @inlinable package init(slab: RowSlab, pointer: RowPointer) {
        self.slab = slab
        bytes = pointer.bytes
    }

    /// The row's values, without what keeps them alive.
    @inlinable package var pointer: RowPointer { RowPointer(bytes) }

    /// Bytes of the whole row, a multiple of 8.
    @inlinable public var byteCount: Int {
        Int(UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self)))
    }
    /// The concrete entity.
    @inlinable public var entity: EntityNumber { EntityNumber(load(UInt16.self, at: 4)) }
    /// The root of the concrete entity's inheritance tree.
    @inlinable public var rootEntity: EntityNumber { EntityNumber(load(UInt16.self, at: 6)) }
    /// Unique in the root entity's hierarchy; from 1 in the rows of a store, negative in those of a
    /// context's new objects.
    @inlinable public var key: Int64 { load(Int64.self, at: 8) }
    /// Grows by 1 with each save that changes the object; 1 when new.
    @inlinable public var version: Int64 { load(Int64.self, at: 16) }
    /// The object's identity, made from the header and the slab's store.
    @inlinable public var id: ObjectID {
        let key = key
        return ObjectID(
            store: key < 0 ? slab.temporarySpace : slab.store, rootEntity: rootEntity,
            entity: entity, key: key)
    }

    /// Calls the body with the row's bytes, as they stand in LMDB values and binary files.
    @inlinable public func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(start: bytes, count: byteCount))
    }

    /// Whether both rows are of the same object, version and values.
    public static func hasSameBytes(_ left: Row, _ right: Row) -> Bool {
        left.byteCount == right.byteCount && memcmp(left.bytes, right.bytes, left.byteCount) == 0
    }

    /// Where the row begins in its slab.
    package var slabOffset: Int { bytes - UnsafeRawPointer(slab.base) }

    /// Whether the row's bytes begin at the pointer.
    package func begins(at pointer: UnsafeRawPointer) -> Bool { bytes == pointer }

    /// Whether both rows are the same bytes at the same address.
    package static func hasSameAddress(_ left: Row, _ right: Row) -> Bool {
        left.bytes == right.bytes
    }

    @inlinable func load<T: FixedWidthInteger & BitwiseCopyable>(
        _ type: T.Type, at offset: Int
    ) -> T {
        T(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: type))
    }
}

extension Row {
    /// Whether the value is nil.
    @inlinable public func isNull(_ slot: RowLayout.Slot) -> Bool {
        let word = RowLayout.headerByteCount + Int(slot.index) / 64 * 8
        return load(UInt64.self, at: word) >> UInt64(slot.index % 64) & 1 == 1
    }
    /// The value of a boolean slot, or `false` if it is nil.
    @inlinable public func boolean(_ slot: RowLayout.Slot) -> Bool {
        load(UInt8.self, at: Int(slot.offset)) != 0
    }
    /// The value of a 16-bit integer slot, or 0 if it is nil.
    @inlinable public func int16(_ slot: RowLayout.Slot) -> Int16 {
        load(Int16.self, at: Int(slot.offset))
    }
    /// The value of a 32-bit integer slot, or 0 if it is nil.
    @inlinable public func int32(_ slot: RowLayout.Slot) -> Int32 {
        load(Int32.self, at: Int(slot.offset))
    }
    /// The value of a 64-bit integer slot, or 0 if it is nil.
    @inlinable public func int64(_ slot: RowLayout.Slot) -> Int64 {
        load(Int64.self, at: Int(slot.offset))
    }
    /// The value of an integer slot of any width.
    @inlinable public func integer(_ slot: RowLayout.Slot) -> Int64 {
        switch slot.kind {
        case .int16: Int64(int16(slot))
        case .int32: Int64(int32(slot))
        default: int64(slot)
        }
    }
    /// The value of a float slot, NaN and −0 bit for bit, or 0 if it is nil.
    @inlinable public func float(_ slot: RowLayout.Slot) -> Float {
        Float(bitPattern: load(UInt32.self, at: Int(slot.offset)))
    }
    /// The value of a double slot; of a date slot the seconds since 2001.
    @inlinable public func double(_ slot: RowLayout.Slot) -> Double {
        Double(bitPattern: load(UInt64.self, at: Int(slot.offset)))
    }
    /// The value of a date slot; 2001-01-01 00:00 UTC where nil.
    @inlinable public func date(_ slot: RowLayout.Slot) -> Date {
        Date(timeIntervalSinceReferenceDate: double(slot))
    }
    /// The value of a decimal slot, every digit kept, or 0 if it is nil.
    public func decimal(_ slot: RowLayout.Slot) -> Decimal {
        DecimalCodec.decode(bytes + Int(slot.offset))
    }
    /// The value of a UUID slot; all zero where nil.
    @inlinable public func uuid(_ slot: RowLayout.Slot) -> UUID {
        UUID(uuid: bytes.loadUnaligned(fromByteOffset: Int(slot.offset), as: uuid_t.self))
    }
    /// The destination of a to-one slot.
    @inlinable public func objectID(_ slot: RowLayout.Slot) -> ObjectID {
        let key = load(Int64.self, at: Int(slot.offset))
        return ObjectID(
            store: key < 0 ? slab.temporarySpace : slab.store,
            rootEntity: slot.destinationRoot,
            entity: EntityNumber(load(UInt16.self, at: Int(slot.offset) + 8)), key: key)
    }
    /// The bytes of a variable slot, valid while the row is; empty where nil.
    @inlinable public func unsafeBytes(_ slot: RowLayout.Slot) -> UnsafeRawBufferPointer {
        let end = Int(load(UInt32.self, at: Int(slot.offset)))
        let start = slot.variableIndex == 0 ? 0 : Int(load(UInt32.self, at: Int(slot.offset) - 4))
        return UnsafeRawBufferPointer(
            start: bytes + Int(slot.payloadOffset) + start, count: end - start)
    }
    /// The text of a string or URI slot.
    @inlinable public func string(_ slot: RowLayout.Slot) -> String {
        String(decoding: unsafeBytes(slot), as: UTF8.self)
    }
    /// A copy of the bytes of a binary, transformable or composite slot; empty where nil.
    @inlinable public func data(_ slot: RowLayout.Slot) -> Data {
        Data(unsafeBytes(slot))
    }
    /// The bytes of an external-binary slot, or where to find them.
    public func externalBinary(_ slot: RowLayout.Slot) -> ExternalBinary {
        let stored = unsafeBytes(slot)
        guard stored.first == ExternalBinary.referenceMark else {
            return .inline(Data(stored.dropFirst()))
        }
        let name = String(decoding: stored.dropFirst(), as: UTF8.self)
        return .reference(ExternalReference(store: slab.store, name: name))
    }
}
