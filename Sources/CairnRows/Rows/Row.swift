import CairnModel
import Foundation

/// The stored values of one object at one version, as immutable packed bytes.
///
/// Values are read by the slots of the entity's layout. A row keeps its slab alive. The typed
/// accessors check neither for `nil` nor for the kind of the slot: call ``isNull(_:)`` first, and
/// use the accessor for the slot's kind.
@frozen public struct Row: @unchecked Sendable {
    // Unchecked: the bytes belong to the slab, whose writer writes only to memory after them.
    /// The memory that contains the bytes. It is shared with the rows that were packed beside this
    /// one.
    public let slab: RowSlab
    /// The row's bytes without the slab that keeps them alive. All accessors read through it.
    @usableFromInline package let pointer: RowPointer

    @inlinable init(slab: RowSlab, bytes: UnsafeRawPointer) {
        self.init(slab: slab, pointer: RowPointer(bytes))
    }

    /// Creates a row from its parts.
    ///
    /// - Precondition: the pointer leads to a row in the slab.
    @inlinable package init(slab: RowSlab, pointer: RowPointer) {
        self.slab = slab
        self.pointer = pointer
        assert(slab.contains(pointer), "a row is not in its slab")
    }

    @inlinable var bytes: UnsafeRawPointer { pointer.bytes }

    /// The length of the row in bytes, a multiple of 8.
    @inlinable public var byteCount: Int { pointer.byteCount }
    /// The number of the object's concrete entity in the model.
    @inlinable public var entity: EntityNumber { pointer.entity }
    /// The root entity of the concrete entity's inheritance hierarchy.
    @inlinable public var rootEntity: EntityNumber { pointer.rootEntity }
    /// The object's key, which is unique in the root entity's hierarchy. It is at least 1 in the
    /// rows of a store, and negative in the rows of a context's new objects.
    @inlinable public var key: Int64 { pointer.key }
    /// The version of the object. It is 1 for a new object, and increases by 1 with each save that
    /// changes the object.
    @inlinable public var version: Int64 { pointer.version }
    /// The object's ID, composed from the row's header and the slab's store.
    @inlinable public var id: ObjectID {
        let key = key
        return ObjectID(
            store: key < 0 ? slab.temporarySpace : slab.store, rootEntity: rootEntity,
            entity: entity, key: key)
    }

    /// Calls the body with the row's bytes. LMDB values and binary files contain the same bytes.
    @inlinable public func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(pointer.allBytes)
    }

    /// Returns whether both rows have the same object, version and values.
    package static func hasSameBytes(_ left: Row, _ right: Row) -> Bool {
        left.byteCount == right.byteCount && memcmp(left.bytes, right.bytes, left.byteCount) == 0
    }

    /// The offset of the row in its slab.
    @usableFromInline package var slabOffset: Int { bytes - UnsafeRawPointer(slab.base) }

    /// Returns whether the row's bytes begin at the pointer.
    package func begins(at pointer: UnsafeRawPointer) -> Bool { bytes == pointer }

    /// Returns whether both rows are the same bytes at the same address.
    package static func hasSameAddress(_ left: Row, _ right: Row) -> Bool {
        left.bytes == right.bytes
    }
}

extension Row {
    /// Returns whether the value is `nil`.
    @inlinable public func isNull(_ slot: RowLayout.Slot) -> Bool { pointer.isNull(slot) }
    /// Returns the value of a Boolean slot, or `false` if it is `nil`.
    @inlinable public func boolean(_ slot: RowLayout.Slot) -> Bool {
        pointer.number(slot, as: UInt8.self) != 0
    }
    /// Returns the value of a 16-bit integer slot, or 0 if it is `nil`.
    @inlinable public func int16(_ slot: RowLayout.Slot) -> Int16 { pointer.number(slot) }
    /// Returns the value of a 32-bit integer slot, or 0 if it is `nil`.
    @inlinable public func int32(_ slot: RowLayout.Slot) -> Int32 { pointer.number(slot) }
    /// Returns the value of a 64-bit integer slot, or 0 if it is `nil`.
    @inlinable public func int64(_ slot: RowLayout.Slot) -> Int64 { pointer.number(slot) }
    /// Returns the value of an integer slot of any width, or 0 if it is `nil`.
    @inlinable public func integer(_ slot: RowLayout.Slot) -> Int64 { pointer.integer(slot) }
    /// Returns the value of a float slot, or 0 if it is `nil`. NaN and −0 are preserved bit for
    /// bit.
    @inlinable public func float(_ slot: RowLayout.Slot) -> Float { pointer.float(slot) }
    /// Returns the value of a double slot, or the seconds since 2001 of a date slot. Returns 0 if
    /// the value is `nil`.
    @inlinable public func double(_ slot: RowLayout.Slot) -> Double { pointer.double(slot) }
    /// Returns the value of a date slot, or 2001-01-01 00:00 UTC if it is `nil`.
    @inlinable public func date(_ slot: RowLayout.Slot) -> Date {
        Date(timeIntervalSinceReferenceDate: double(slot))
    }
    /// Returns the value of a decimal slot with every digit, or 0 if it is `nil`.
    public func decimal(_ slot: RowLayout.Slot) -> Decimal {
        DecimalCodec.decode(bytes + Int(slot.offset))
    }
    /// Returns the value of a UUID slot. If the value is `nil`, all bytes are zero.
    @inlinable public func uuid(_ slot: RowLayout.Slot) -> UUID {
        UUID(uuid: bytes.loadUnaligned(fromByteOffset: Int(slot.offset), as: uuid_t.self))
    }
    /// Returns the destination of a to-one slot.
    @inlinable public func objectID(_ slot: RowLayout.Slot) -> ObjectID {
        let key: Int64 = pointer.number(slot)
        return pointer.objectID(slot, in: key < 0 ? slab.temporarySpace : slab.store)
    }
    /// Returns the bytes of a variable slot, which are valid as long as the row exists. Empty if
    /// the value is `nil`.
    @inlinable public func unsafeBytes(_ slot: RowLayout.Slot) -> UnsafeRawBufferPointer {
        pointer.unsafeBytes(slot)
    }
    /// Returns the text of a string or URI slot. Empty if the value is `nil`.
    @inlinable public func string(_ slot: RowLayout.Slot) -> String {
        pointer.string(slot)
    }
    /// Returns a copy of the bytes of a binary, transformable or composite slot. Empty if the value
    /// is `nil`.
    @inlinable public func data(_ slot: RowLayout.Slot) -> Data {
        Data(unsafeBytes(slot))
    }
    /// Returns the bytes of an external-binary slot, or the reference to them.
    package func externalBinary(_ slot: RowLayout.Slot) -> ExternalBinary {
        let stored = unsafeBytes(slot)
        guard stored.first == ExternalBinary.referenceMark else {
            return .inline(Data(stored.dropFirst()))
        }
        let name = String(decoding: stored.dropFirst(), as: UTF8.self)
        return .reference(ExternalReference(store: slab.store, name: name))
    }
}

/// A reference from a row to bytes that its store keeps outside of the row.
public struct ExternalReference: Sendable, Hashable {
    /// The store that keeps the bytes. They are read through its snapshots.
    public var store: StoreNumber
    /// The store's name for the bytes. In a SQLite store it is the UUID that names the file.
    public var name: String

    /// Creates a reference. A name is meaningful only in its own store. References are created by
    /// engines, and when rows are read.
    public init(store: StoreNumber, name: String) {
        self.store = store
        self.name = name
    }
}

/// The value of an attribute that may be stored outside of its row.
package enum ExternalBinary: Sendable, Hashable {
    /// The bytes themselves, which are stored in the row.
    case inline(Data)
    /// A reference, for which the snapshot returns the bytes.
    case reference(ExternalReference)

    /// The first byte of an inline value, as in Core Data's SQLite stores.
    static let inlineMark: UInt8 = 1
    /// The first byte of a reference, as in Core Data's SQLite stores.
    static let referenceMark: UInt8 = 2
}

extension Row {
    /// Returns the value of a slot in its general form. Too slow for hot loops.
    ///
    /// For a value that is stored outside of the row, returns the name of its reference as
    /// `.string`. Call `externalBinary(_:)` if the slot may contain a reference.
    public func value(_ slot: RowLayout.Slot) -> Value {
        if isNull(slot) { return .null }
        return switch slot.kind {
        case .boolean: .boolean(boolean(slot))
        case .int16, .int32, .int64: .integer(integer(slot))
        case .float: .float(float(slot))
        case .double: .double(double(slot))
        case .date: .date(date(slot))
        case .decimal: .decimal(decimal(slot))
        case .uuid: .uuid(uuid(slot))
        case .toOne: .objectID(objectID(slot))
        case .string: .string(string(slot))
        case .uri: uri(slot)
        case .binary: .binary(data(slot))
        case .externalBinary:
            switch externalBinary(slot) {
            case .inline(let data): .binary(data)
            case .reference(let reference): .string(reference.name)
            }
        case .transformable: .transformable(data(slot))
        case .composite: .composite(CompositeCodec.decode(unsafeBytes(slot)) ?? [:])
        }
    }

    /// Returns `nil` for stored text that is not a valid URL.
    private func uri(_ slot: RowLayout.Slot) -> Value {
        URL(string: string(slot)).map(Value.uri) ?? .null
    }
}

extension Value {
    /// Returns whether an attribute's row slot can hold the value. Null always fits.
    package func fits(_ kind: RowLayout.Kind) -> Bool {
        switch (self, kind) {
        case (.integer(let value), .int16): Int16(exactly: value) != nil
        case (.integer(let value), .int32): Int32(exactly: value) != nil
        case (.null, _), (.boolean, .boolean), (.integer, .int64), (.double, .double),
            (.float, .float), (.decimal, .decimal), (.string, .string), (.date, .date),
            (.binary, .binary), (.binary, .externalBinary), (.uuid, .uuid), (.uri, .uri),
            (.transformable, .transformable), (.composite, .composite):
            kind != .toOne
        default: false
        }
    }
}
