import CairnModel
import CairnRows
import Foundation

/// The bits of `ZCOLUMNS` that stand for the properties of an entity.
///
/// First come the entity's columns after `Z_OPT`, in the table's order. They include the entity
/// columns and order keys of to-one relationships. Then come the to-many relationships. This order
/// was observed in only a few stores (docs/formats/sqlite.md).
struct ChangeMap {
    /// The properties by bit. Each bit of an entity column or an order key stands for the
    /// relationship.
    private let names: [String]
    private let bitsBySlot: [[Int]]
    /// The bits by column name, in upper case.
    let bitsByColumn: [String: Int]
    let bitsByToMany: [String: Int]
    let byteCount: Int

    init(_ schema: EntitySchema, _ catalog: SchemaCatalog) {
        var columnBits: [String: Int] = [:]
        let names = schema.slots.map(\.allNames)
        let own = Set(names.joined().map { $0.text.uppercased() })
        for column in catalog.columns(of: schema.table) where own.contains(column) {
            columnBits[column] = columnBits.count
        }
        bitsByColumn = columnBits
        bitsBySlot = names.map { $0.compactMap { columnBits[$0.text.uppercased()] } }
        var next = columnBits.count
        var toManys: [String: Int] = [:]
        for case .relationship(let relationship) in schema.entity.properties
        where relationship.isToMany && !relationship.isTransient {
            toManys[relationship.name] = next
            next += 1
        }
        bitsByToMany = toManys
        byteCount = (next + 7) / 8
        var propertyNames = [String](repeating: "", count: next)
        for (slot, bits) in zip(schema.slots, bitsBySlot) {
            for bit in bits { propertyNames[bit] = slot.property.name }
        }
        for (name, bit) in toManys { propertyNames[bit] = name }
        self.names = propertyNames
    }

    /// Returns the names of the properties that a bitmap stands for. Bits that stand for no property
    /// are ignored.
    func propertyNames(in bits: UnsafeRawBufferPointer) -> Set<String> {
        var found: Set<String> = []
        for (index, name) in names.enumerated() where index / 8 < bits.count {
            if bits[index / 8] & (0x80 >> UInt8(index % 8)) != 0 { found.insert(name) }
        }
        return found
    }

    /// Returns the bitmap of properties by name. Unknown names are ignored.
    func bits(_ properties: Set<String>) -> Data {
        var data = Data(count: byteCount)
        for (bit, name) in names.enumerated() where properties.contains(name) {
            data[bit / 8] |= 0x80 >> UInt8(bit % 8)
        }
        return data
    }

    /// Returns the bitmap. The first bit is the most significant bit of the first byte.
    func bits(_ slots: SlotSet, _ toManys: Set<String>) -> Data {
        var data = Data(count: byteCount)
        let bits =
            slots.filter(bitsBySlot.indices.contains).flatMap { bitsBySlot[$0] }
            + toManys.compactMap { bitsByToMany[$0] }
        for bit in bits { data[bit / 8] |= 0x80 >> UInt8(bit % 8) }
        return data
    }
}
