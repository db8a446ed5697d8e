import CairnModel
import CairnRows
import Foundation

/// The tables of persistent history: what each save changed, by which author, and when.
struct HistoryTables: Sendable {
    static let change = SQLName("ACHANGE")
    static let transaction = SQLName("ATRANSACTION")
    static let text = SQLName("ATRANSACTIONSTRING")

    /// The store's entity numbers of the three tables.
    enum EntityID {
        static let change: Int64 = 16001
        static let transaction: Int64 = 16002
        static let text: Int64 = 16003
    }

    /// The columns of the tables.
    let catalog: SchemaCatalog

    /// Returns `nil` if the store has no history.
    init?(_ catalog: SchemaCatalog) {
        guard [Self.change, Self.transaction, Self.text].allSatisfy(catalog.hasTable) else {
            return nil
        }
        self.catalog = catalog
    }
}

/// The bits of `ZCOLUMNS` that stand for the properties of an entity.
///
/// First come the entity's columns after `Z_OPT`, in the table's order. They include the entity
/// columns and order keys of to-one relationships. Then come the to-many relationships. This order
/// was observed in only a few stores (docs/formats/sqlite.md).
struct ChangeMap {
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
