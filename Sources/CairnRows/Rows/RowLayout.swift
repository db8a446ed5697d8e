import CairnModel

/// The layout of one entity's packed rows.
///
/// A row consists of little-endian bytes, without padding except at its end:
///
///     0   u32   length of the row in bytes, a multiple of 8
///     4   u16   number of the concrete entity
///     6   u16   number of its root entity
///     8   i64   key
///     16  i64   version
///     24  u64 × ⌈slots / 64⌉   null bitmap: slot n is bit n mod 64 of word n / 64, 1 if nil
///     …   fixed slots in slot order, zero bytes if nil; variable slots take no bytes here
///     …   u32 × variable slots: the offset of each slot's end, relative to the next part
///     …   bytes of the variable slots, followed by zero bytes up to a multiple of 8
///
/// The form is canonical: equal values have equal bytes, so rows can be compared with `memcmp`. The
/// slots have the numbers of `PropertyStorage.row(slot:)`. The slots of the
/// superentity come first.
public final class RowLayout: Sendable {
    /// The number of bytes before the null bitmap.
    public static let headerByteCount = 24

    /// The entity of the rows. Rows of subentities have layouts of their own.
    public let entity: Entity
    /// The slots, by slot number.
    public let slots: [Slot]
    /// The property of each slot.
    public let properties: [Property]
    /// The slot number of each property, by name.
    private let numbers: [String: Int]
    /// The offset of the table of ends, which is the total length of everything before it.
    @usableFromInline let endsOffset: Int
    /// The number of variable slots.
    public let variableCount: Int
    /// The root entity of the entity's inheritance hierarchy.
    let rootEntity: EntityNumber
    /// The fixed part of a row with key 0, version 0 and only `nil` values. A writer begins each
    /// row with a copy of it.
    let blankRow: FrozenTable<UInt8>

    /// The way in which a slot stores its value.
    @frozen public enum Kind: UInt8, Sendable {
        /// A byte that is 0 or 1, a signed integer with the number of bits in the name, or a
        /// floating-point number of 32 or 64 bits.
        case boolean, int16, int32, int64, float, double
        /// Seconds since 2001 as a double.
        case date
        /// u64 × 2 mantissa, i8 exponent, u8 sign: 0 plus, 1 minus, 2 not a number.
        case decimal
        /// The 16 bytes of the UUID.
        case uuid
        /// i64 key, u16 concrete entity. A negative key is temporary.
        case toOne
        /// UTF-8.
        case string
        /// UTF-8 of the absolute string.
        case uri
        /// The bytes of a binary value that is always stored in its row.
        case binary
        /// 0x01 and the bytes, or 0x02 and the UTF-8 name of an ``ExternalReference``.
        case externalBinary
        /// The bytes that the attribute's value transformer produces.
        case transformable
        /// See `CompositeCodec`.
        case composite

        @inlinable package var isVariable: Bool { rawValue >= Kind.string.rawValue }

        /// A number for inlined accessors. For an integer slot, the number of bits (of 64) that do
        /// not belong to the value. For all other slots, 64 or more. It is a number because the
        /// optimizer handles comparisons of enum cases worse, and then counts a reference to the
        /// row's object.
        @inlinable package var code: UInt8 {
            switch self {
            case .int16: 48
            case .int32: 32
            case .int64: 0
            default: 64 + rawValue
            }
        }

        /// The number of bytes of a fixed slot, or 0 for a variable slot.
        @inlinable var byteCount: Int {
            switch self {
            case .boolean: 1
            case .int16: 2
            case .int32, .float: 4
            case .int64, .double, .date: 8
            case .decimal: 18
            case .uuid: 16
            case .toOne: 10
            default: 0
            }
        }
    }

    /// The position of one value in rows. Look it up once, not once per row.
    @frozen public struct Slot: Sendable {
        /// The way in which the value is packed. It determines which accessor of ``Row`` reads the
        /// value.
        public let kind: Kind
        /// The kind as a number, equal to ``Kind/code``.
        @usableFromInline package let code: UInt8
        /// The slot number, which is also the index of the null bit.
        public let index: UInt16
        /// In a fixed slot, the offset of the value. In a variable slot, the offset of the entry in
        /// the table of ends.
        @usableFromInline package let offset: UInt32
        /// In a variable slot, the offset of the first byte of all variable slots.
        @usableFromInline let payloadOffset: UInt32
        /// In a variable slot, its index among the variable slots.
        @usableFromInline let variableIndex: UInt16
        /// In a to-one slot, the root entity of the destination.
        public let destinationRoot: EntityNumber

        /// A slot that no accessor reads, because its code belongs to no kind.
        package static let unread = Slot(
            kind: .composite, code: .max, index: 0, offset: 0, payloadOffset: 0, variableIndex: 0,
            destinationRoot: EntityNumber(0))
    }

    init(_ entity: Entity) {
        self.entity = entity
        let stored = entity.properties.filter { $0.storage.rowSlot != nil }
        let kinds = stored.map(Kind.init)
        let bitmapByteCount = (stored.count + 63) / 64 * 8
        let fixedByteCount = kinds.reduce(0) { $0 + $1.byteCount }
        let ends = Self.headerByteCount + bitmapByteCount + fixedByteCount
        let variable = kinds.count(where: \.isVariable)
        var offset = Self.headerByteCount + bitmapByteCount
        var variableIndex = 0
        var slots: [Slot] = []
        for (index, (property, kind)) in zip(stored, kinds).enumerated() {
            slots.append(
                Slot(
                    kind: kind, code: kind.code, index: UInt16(index),
                    offset: UInt32(kind.isVariable ? ends + 4 * variableIndex : offset),
                    payloadOffset: UInt32(ends + 4 * variable),
                    variableIndex: UInt16(variableIndex),
                    destinationRoot: property.destinationRoot))
            offset += kind.byteCount
            if kind.isVariable { variableIndex += 1 }
        }
        self.slots = slots
        properties = stored
        numbers = Dictionary(
            zip(stored.map(\.name), stored.indices), uniquingKeysWith: { first, _ in first })
        endsOffset = ends
        variableCount = variable
        rootEntity = entity.rootEntity.number
        blankRow = FrozenTable(
            Self.blankRow(of: entity, slotCount: slots.count, byteCount: ends + 4 * variable))
    }

    private static func blankRow(
        of entity: Entity, slotCount: Int, byteCount: Int
    ) -> [UInt8] {
        var row = [UInt8](repeating: 0, count: byteCount)
        row.withUnsafeMutableBytes { bytes in
            bytes.storeBytes(
                of: entity.number.rawValue.littleEndian, toByteOffset: 4, as: UInt16.self)
            bytes.storeBytes(
                of: entity.rootEntity.number.rawValue.littleEndian, toByteOffset: 6,
                as: UInt16.self)
            for slot in 0..<slotCount {
                bytes[headerByteCount + slot / 8] |= 1 << UInt8(slot % 8)
            }
        }
        return row
    }

    /// Returns the slot of the property with the given name, or `nil` if rows do not store the
    /// property.
    public func slot(named name: String) -> Slot? {
        numbers[name].map { slots[$0] }
    }

    /// Returns the slot number for each name, in the same order. The result contains `nil` for
    /// names that rows do not store.
    ///
    /// Names that are in the order of the properties, as in most classes, are compared instead of
    /// hashed.
    package func slotNumbers(of names: [String]) -> [Int?] {
        names.enumerated().map { index, name in
            index < properties.count && properties[index].name == name ? index : numbers[name]
        }
    }
}

extension RowLayout.Kind {
    fileprivate init(_ property: Property) {
        guard case .attribute(let attribute) = property else {
            self = .toOne
            return
        }
        self =
            switch attribute.type {
            case .boolean: .boolean
            case .integer16: .int16
            case .integer32: .int32
            case .integer64: .int64
            case .float: .float
            case .double: .double
            case .date: .date
            case .decimal: .decimal
            case .uuid: .uuid
            case .string: .string
            case .uri: .uri
            case .binary where attribute.description.allowsExternalBinaryDataStorage:
                .externalBinary
            case .binary, .undefined, .objectID: .binary
            case .transformable: .transformable
            case .composite: .composite
            }
    }
}

extension Property {
    fileprivate var destinationRoot: EntityNumber {
        if case .relationship(let relationship) = self {
            relationship.destination.rootEntity.number
        } else {
            EntityNumber(0)
        }
    }
}

extension RowLayout {
    /// Returns the property whose value is at a slot of a row.
    package func property(at slot: Slot) -> Property { properties[Int(slot.index)] }
}
