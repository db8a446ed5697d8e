import CairnModel
import CairnRows
import Foundation
import Testing

@Suite struct `Row writer` {
    let layouts: RowLayouts
    let store = StoreNumber(rawValue: 7)

    init() throws {
        layouts = RowLayouts(
            try ManagedObjectModel([
                EntityDescription(
                    "Thing",
                    [
                        .attribute("blob", .binary), .attribute("count", .integer64),
                        .attribute("flag", .boolean), .attribute("name", .string),
                        .attribute("price", .decimal), .attribute("uuid", .uuid),
                        .toOne("owner", "Thing"),
                    ])
            ]))
    }

    private func pack(_ values: [String: Value]) throws -> Row {
        let layout = try #require(layouts.layout(of: EntityNumber(1)))
        var writer = RowWriter(store: store)
        writer.begin(layout, key: 5, version: 2)
        for (property, slot) in zip(layout.properties, layout.slots) {
            try writer.set(values[property.name] ?? .null, at: slot, of: layout)
        }
        writer.endRow()
        return writer.takeBatch()[row: 0]
    }

    @Test func `copies bytes of every length, and says whether they are ASCII`() throws {
        let layout = try #require(layouts.layout(of: EntityNumber(1)))
        let slot = try #require(layout.slots.first { $0.kind == .binary })
        for count in 0...160 {
            // The last index stands for bytes that are all ASCII.
            for other in 0...count {
                var bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 & 0x7f) }
                if other < count { bytes[other] |= 0x80 }
                var writer = RowWriter(store: store)
                writer.begin(layout, key: 5, version: 2)
                let isASCII = try bytes.withUnsafeBytes { try writer.set(bytes: $0, at: slot) }
                writer.endRow()
                let row = writer.takeBatch()[row: 0]

                #expect(isASCII == (other == count && count <= 128))
                #expect(row.data(slot) == Data(bytes))
            }
        }
    }

    @Test func `uses little memory for few rows`() throws {
        let layout = try #require(layouts.layout(of: EntityNumber(1)))
        var writer = RowWriter(store: store, rowCount: 1)
        writer.begin(layout, key: 5, version: 2)
        writer.endRow()
        let row = writer.takeBatch()[row: 0]

        #expect(row.slab.byteCount <= 1024)
        #expect(row.key == 5)
    }

    @Test(arguments: [10, 20_000, 500_000])
    func `may write more rows than it was created for`(_ byteCount: Int) throws {
        let layout = try #require(layouts.layout(of: EntityNumber(1)))
        let blob = try #require(
            zip(layout.properties, layout.slots).first { $0.0.name == "blob" }
        ).1
        let bytes = Data((0..<byteCount).map { UInt8(truncatingIfNeeded: $0) })
        var writer = RowWriter(store: store, rowCount: 1)
        for key in Int64(1)...100 {
            writer.begin(layout, key: key, version: 1)
            try writer.set(.binary(bytes), at: blob, of: layout)
            writer.endRow()
        }
        let batch = writer.takeBatch()

        #expect(batch.rows.map(\.key) == Array(1...100))
        #expect(batch.rows.allSatisfy { $0.value(blob) == .binary(bytes) })
    }

    @Test func `stores the values that were set`() throws {
        let owner = ObjectID(
            store: store, rootEntity: EntityNumber(1), entity: EntityNumber(1), key: 3)
        let values: [String: Value] = [
            "blob": .binary(Data([1, 2, 3])), "count": .integer(-4), "flag": .boolean(true),
            "name": .string("naïve"), "owner": .objectID(owner),
            "price": .decimal(try #require(Decimal(string: "-12345678901234567890.12345678"))),
            "uuid": .uuid(UUID()),
        ]

        let row = try pack(values)

        let layout = layouts.layout(of: try #require(layouts.model.entity(named: "Thing")))
        for (property, slot) in zip(layout.properties, layout.slots) {
            #expect(row.value(slot) == values[property.name], "\(property.name)")
        }
        #expect(row.id == ObjectID(store: store, rootEntity: .init(1), entity: .init(1), key: 5))
        #expect(row.version == 2)
    }

    @Test func `produces the same bytes from another row's fixed values as from the values`() throws
    {
        let former = try pack([
            "blob": .binary(Data([9])), "count": .integer(7), "flag": .boolean(true),
            "name": .string("old"), "price": .decimal(3), "uuid": .uuid(UUID()),
        ])
        let layout = layouts.layout(of: try #require(layouts.model.entity(named: "Thing")))
        let owner = ObjectID(
            store: store, rootEntity: EntityNumber(1), entity: EntityNumber(1), key: 3)
        // The differences: one changed value, one value that was `nil`, and two values of different types
        // that become `nil`.
        let changes: [String: Value] = [
            "blob": .null, "count": .integer(8), "owner": .objectID(owner), "uuid": .null,
        ]

        var writer = RowWriter(store: store)
        writer.begin(layout, key: 5, version: 2, fixedSlotsOf: former)
        for (property, slot) in zip(layout.properties, layout.slots) {
            switch changes[property.name] {
            case .null?: writer.setNull(at: slot)
            case let value?: try writer.set(value, at: slot, of: layout)
            case nil where slot.kind.isVariable: try writer.set(slot, from: former)
            case nil: break
            }
        }
        writer.endRow()
        let patched = writer.takeBatch()[row: 0]

        let packed = try pack([
            "count": .integer(8), "flag": .boolean(true), "name": .string("old"),
            "owner": .objectID(owner), "price": .decimal(3),
        ])
        #expect(Row.hasSameBytes(patched, packed))
    }

    @Test func `stores nil for slots that were not set`() throws {
        let row = try pack(["name": .string("")])

        let layout = layouts.layout(of: try #require(layouts.model.entity(named: "Thing")))
        let nils = layout.slots.filter { row.isNull($0) }.map {
            layout.properties[Int($0.index)].name
        }
        #expect(nils == ["blob", "count", "flag", "owner", "price", "uuid"])
        #expect(row.value(try #require(layout.slot(named: "name"))) == .string(""))
    }

    @Test func `produces equal bytes for equal decimals`() throws {
        let long = try pack(["price": .decimal(try #require(Decimal(string: "1.500")))])
        let short = try pack(["price": .decimal(try #require(Decimal(string: "1.5")))])

        #expect(Row.hasSameBytes(long, short))
    }

    @Test func `refuses a value of the wrong type`() throws {
        #expect(
            throws: RowError.wrongType(entity: "Thing", property: "count", expected: "int64")
        ) { try pack(["count": .string("4")]) }
    }

    @Test func `releases a large row's memory while later rows are still in use`() throws {
        let layout = try #require(layouts.layout(of: EntityNumber(1)))
        var writer = RowWriter(store: store)
        writer.begin(layout, key: 1, version: 1)
        let blob = Data(count: 4 * RowSlab.usualByteCount)
        try writer.set(.binary(blob), at: layout.slots[0], of: layout)
        writer.endRow()
        weak let large = writer.takeBatch()[row: 0].slab

        writer.begin(layout, key: 2, version: 1)
        writer.endRow()
        let next = writer.takeBatch()[row: 0]

        #expect(large == nil)
        #expect(next.key == 2)
    }

    @Test func `keeps rows that do not fit one slab`() throws {
        let layout = layouts.layout(of: try #require(layouts.model.entity(named: "Thing")))
        let name = try #require(layout.slot(named: "name"))
        var writer = RowWriter(store: store)
        for key in 1...3000 {
            writer.begin(layout, key: Int64(key), version: 1)
            try writer.set(String(repeating: "x", count: key * 7 % 1000), at: name)
            writer.endRow()
        }
        writer.begin(layout, key: 3001, version: 1)
        try writer.set(String(repeating: "y", count: 1 << 20), at: name)
        writer.endRow()

        let batch = writer.takeBatch()

        #expect(batch.ids.map(\.key) == Array(1...3001))
        for (row, key) in zip(batch.rows, 1...3000) {
            #expect(row.string(name).utf8.count == key * 7 % 1000)
        }
        #expect(batch[row: 3000].string(name).utf8.count == 1 << 20)
    }
}
