import CairnModel
import Testing

@testable import CairnEngineKit
@testable import CairnRows
@testable import CairnStore

@Suite struct `Uniqueness constraints of rows` {
    private let layouts: RowLayouts
    private let unique: UniqueProperties

    init() throws {
        var item = EntityDescription(
            "Item", [.attribute("code", .string), .attribute("n", .integer64)])
        item.uniquenessConstraints = [["code"]]
        var special = EntityDescription("Special", [.attribute("extra", .string)])
        special.superentity = "Item"
        layouts = RowLayouts(
            try ManagedObjectModel(
                ModelDescription([item, special, EntityDescription("Other", [])])))
        unique = try #require(UniqueProperties.all(in: layouts).first)
    }

    private func row(_ entity: String, _ key: Int64, code: String?) throws -> Row {
        let entity = try #require(layouts.model.entity(named: entity))
        let layout = layouts.layout(of: entity)
        var writer = RowWriter(store: StoreNumber(rawValue: 1))
        writer.begin(layout, key: key, version: 1)
        if let code, let slot = layout.slot(named: "code") {
            try writer.set(.string(code), at: slot, of: layout)
        }
        writer.endRow()
        return writer.takeBatch()[row: 0]
    }

    @Test func `have slots in each entity of the hierarchy, and in no other`() throws {
        let slots = try ["Item", "Special", "Other"].map {
            unique.slots(in: try #require(layouts.model.entity(named: $0)).number)?.count
        }

        #expect(slots == [1, 1, nil])
    }

    @Test func `are checked all together, and report all conflicts`() throws {
        let rows = try [
            row("Item", 1, code: "a"), row("Special", 2, code: "a"), row("Item", 3, code: "b"),
            row("Item", 4, code: nil), row("Item", 5, code: nil),
        ]

        /// The save changes only the first row.
        func check(_ rows: [Row]) throws(StoreError) {
            try UniquenessConflict.requireNone(
                under: [unique], { $0 }, of: rows.prefix(1), changed: [rows[0].id]
            ) { row, constraint in
                guard let values = constraint.values(of: row) else { return [] }
                return rows.filter { constraint.values(of: $0) == values }
            }
        }

        #expect(throws: Never.self) { try check(Array(rows[2...])) }
        #expect {
            try check(rows)
        } throws: {
            guard case StoreError.uniquenessConflicts(let conflicts) = $0 else { return false }
            return conflicts.map(\.requested) == [[rows[0].id]]
                && conflicts.map(\.stored?.id) == [rows[1].id]
        }
    }
}
