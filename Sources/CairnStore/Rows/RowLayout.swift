import CairnModel

/// Where the values of one entity stand in its packed rows.
///
/// A row is, in little-endian bytes without padding but at its end:
///
///     0   u32   bytes of the whole row, a multiple of 8
///     4   u16   number of the concrete entity
///     6   u16   number of its root entity
///     8   i64   key
///     16  i64   version
///     24  u64 × ⌈slots / 64⌉   null bitmap: slot n is bit n mod 64 of word n / 64, 1 where nil
///     …   fixed slots in slot order; a nil one is zero bytes; a variable one takes none
///     …   u32 × variable slots: where each one's bytes end, counted from the first byte after
///     …   bytes of the variable slots, zero bytes up to a multiple of 8
///
/// Canonical: equal values make equal bytes, so rows compare by `memcmp`. Slots are the entity's
/// ``CairnModel/PropertyStorage/row(slot:)`` numbers: the superentity's first.
public final class RowLayout: Sendable {
    /// Bytes before the null bitmap.
    public static let headerByteCount = 24

    /// The entity whose rows are laid out so; rows of subentities have layouts of their own.
    public let entity: Entity
    /// By slot number.
    public let slots: [Slot]
    /// The property of each slot.
    public let properties: [Property]
    /// The slot of each property, by name.
    private let numbers: [String: Int]
    /// Where the table of ends begins: the bytes of everything fixed.
    @usableFromInline let endsOffset: Int
    /// How many slots are variable.
    public let variableCount: Int
    /// The root of the entity's inheritance tree.
    let rootEntity: EntityNumber
    /// A row with key 0 and version 0, every value nil, up to where variable bytes begin: what a
    /// writer begins with.
    let blankRow: FrozenTable<UInt8>

    /// How a slot keeps its value.
    @frozen public enum Kind: UInt8, Sendable {
        case boolean, int16, int32, int64, float, double
        /// Seconds since 2001 as a double.
        case date
        /// u64 × 2 mantissa, i8 exponent, u8 sign: 0 plus, 1 minus, 2 not a number.
        case decimal
        case uuid
        /// i64 key, u16 concrete entity. A negative key is temporary.
        case toOne
        /// UTF-8.
        case string
        /// UTF-8 of the absolute string.
        case uri
        case binary
        /// 0x01 and the bytes, or 0x02 and the UTF-8 name of an ``ExternalReference``.
        case externalBinary
        case transformable
        /// See `CompositeCodec`.
        case composite

        @inlinable package var isVariable: Bool { rawValue >= Kind.string.rawValue }

        /// What accessors that are inlined ask a slot for. Of an integer, how many of 64 bits are not
        /// the value's; of others 64 and more. A number, because the optimiser sees less of what
        /// cases are compared for: it counts a reference to the object that the row is of.
        @inlinable package var code: UInt8 {
            switch self {
            case .int16: 48
            case .int32: 32
            case .int64: 0
            default: 64 + rawValue
            }
        }

        /// Bytes of a fixed slot; 0 for a variable one.
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

    /// Where one value stands; resolve it once, not per row.
    @frozen public struct Slot: Sendable {
        /// How the value is packed, and so which accessor of ``Row`` reads it.
        public let kind: Kind
        /// The kind once more, as ``Kind/code`` gives it.
        @usableFromInline package let code: UInt8
        /// The slot number, which is the null bit.
        public let index: UInt16
        /// Fixed: where the value begins. Variable: where its end is noted.
        @usableFromInline let offset: UInt32
        /// Variable: where the bytes of all variable slots begin.
        @usableFromInline let payloadOffset: UInt32
        /// Variable: which of the variable ones.
        @usableFromInline let variableIndex: UInt16
        /// To-one: root of the destination's inheritance tree.
        public let destinationRoot: EntityNumber

        /// A slot that no accessor reads, because it has the code of no kind.
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

    /// Returns the slot of a property of that name. Returns `nil` if rows do not hold it.
    public func slot(named name: String) -> Slot? {
        numbers[name].map { slots[$0] }
    }

    /// Returns the number of the slot of each name, in their order. `nil` stands for a name that rows do not hold.
    ///
    /// Names in the order of the properties, as most classes have them, are compared and not hashed.
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
