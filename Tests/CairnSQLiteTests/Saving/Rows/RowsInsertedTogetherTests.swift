import CairnModel
import CairnRows
import CairnStore
import CairnTestSupport
import Foundation
import Testing

@testable import CairnSQLite

/// A save of many new rows has the same result as many saves of one row. Indexes of an empty table are
/// created after its rows.
@Suite struct `Rows inserted together` {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let entities: [EntityDescription] = {
        var picture = AttributeDescription("picture", .binary)
        picture.allowsExternalBinaryDataStorage = true
        var item = EntityDescription(
            "Item",
            [
                .attribute("code", .string), .attribute("small", .integer16),
                .attribute("large", .integer64), .attribute("middle", .integer32),
                .attribute("flag", .boolean), .attribute("real", .double),
                .attribute("single", .float), .attribute("when", .date),
                .attribute("price", .decimal), .attribute("mark", .uuid),
                .attribute("link", .uri), .attribute("bytes", .binary), .attribute(picture),
                .toOne("owner", "Person", inverse: "items"),
            ])
        item.uniquenessConstraints = [["code"]]
        item.fetchIndexes = [.init("byLarge", elements: [.init("large")])]
        return [
            item, EntityDescription("Person", [.toMany("items", "Item", inverse: "owner")]),
            EntityDescription("Worker", superentity: "Person", [.attribute("trade", .string)]),
        ]
    }()

    private func store(_ name: String) throws -> SavingStore {
        try SavingStore(
            OpenRequest(
                location: .file(folder.file(name)),
                model: try ManagedObjectModel(Self.entities),
                options: [.roundsValues: .boolean(false)]))
    }

    private func values(_ key: Int64, in subject: SavingStore) throws -> [String: Value] {
        // Every value is `nil` in some rows.
        let all: [(String, Value)] = [
            ("code", .string(key == 9 ? "" : "Nr. \(key) – ü")), ("small", .integer(-key)),
            ("large", .integer(.max - key)), ("middle", .integer(key * 1000)),
            ("flag", .boolean(key % 2 == 0)), ("real", .double(Double(key) / 3)),
            ("single", .float(Float(key) / 7)),
            ("when", .date(Date(timeIntervalSinceReferenceDate: Double(key)))),
            ("price", .decimal(Decimal(key) / 4)),
            ("mark", .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)))),
            ("link", .uri(try #require(URL(string: "https://example.org/\(key)")))),
            ("bytes", .binary(Data(repeating: UInt8(key % 256), count: Int(key % 5)))),
            ("picture", .binary(Data(repeating: 7, count: key == 11 ? 200_000 : 20))),
            ("owner", .objectID(try subject.id(key % 2 == 0 ? "Worker" : "Person", key))),
        ]
        return Dictionary(
            uniqueKeysWithValues: all.enumerated().filter { Int(key) % 15 != $0.offset }
                .map(\.element))
    }

    private func rows(_ keys: some Sequence<Int64>, in subject: SavingStore) throws -> [Row] {
        try keys.map { try subject.row("Item", $0, try values($0, in: subject)) }
    }

    private func columns(of subject: SavingStore) throws -> String {
        let names = try subject.sql("SELECT name FROM pragma_table_info('ZITEM')")
        return names.compactMap { $0 }.filter { $0 != "ZPICTURE" }
            .map { "quote(\($0)) || typeof(\($0))" }.joined(separator: " || ',' || ")
    }

    @Test func `equal rows that are inserted one by one`() throws {
        let (together, alone) = (try store("together"), try store("alone"))

        try together.save(SaveRequest(inserted: RowBatch(try rows(1...40, in: together))))
        for row in try rows(1...40, in: alone) { try alone.insert(row) }

        let text = "SELECT \(try columns(of: alone)) FROM ZITEM ORDER BY Z_PK"
        #expect(try together.sql(text) == alone.sql(text))
        #expect(try alone.sql("SELECT count(*) FROM ZITEM") == ["40"])
        #expect(
            try together.sql("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Item'") == ["40"])
        let snapshot = try together.store.snapshot()
        let read = try snapshot.rows(for: [try together.id("Item", 11)])
        let slot = try #require(together.entity("Item").property(named: "picture")?.storage.rowSlot)
        let row = try #require(read.rows.first { _ in true })
        guard case .reference(let reference) = row.externalBinary(try rowSlot(slot, together))
        else {
            Issue.record("the large value is in its row")
            return
        }
        #expect(try snapshot.externalData(reference).count == 200_000)
    }

    private func rowSlot(_ index: Int, _ subject: SavingStore) throws -> RowLayout.Slot {
        subject.store.request.layouts.layout(of: try subject.entity("Item")).slots[index]
    }

    @Test func `may alternate with rows of other entities`() throws {
        let subject = try store("mixed")
        var new: [Row] = []
        for key in 1...60 as ClosedRange<Int64> {
            let isWorker = (key - 1) / 20 == 1
            new.append(try subject.row(isWorker ? "Worker" : "Person", key))
        }
        new += try rows(61...75, in: subject)

        try subject.save(SaveRequest(inserted: RowBatch(new)))

        #expect(
            try subject.sql(
                "SELECT Z_ENT || ':' || count(*) FROM ZPERSON GROUP BY Z_ENT ORDER BY Z_ENT")
                == ["2:40", "3:20"])
        #expect(try subject.sql("SELECT count(*) FROM ZITEM") == ["15"])
        #expect(
            try subject.sql("SELECT Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT") == ["75", "60", "0"])
    }

    @Test func `are all reported if their unique values conflict, and no others are`() throws {
        let subject = try store("clashes")
        try subject.insert(try subject.row("Item", 500, ["code": .string("Nr. 3 – ü")]))
        var new = try rows(1...30, in: subject)
        new[19] = try subject.row("Item", 20, ["code": .string("Nr. 7 – ü")])

        let refusal = try subject.refusal(of: SaveRequest(inserted: RowBatch(new)))

        guard case .uniquenessConflicts(let conflicts)? = refusal else {
            Issue.record("\(String(describing: refusal))")
            return
        }
        #expect(conflicts.map { $0.requested.map(\.key).sorted() } == [[3], [7, 20]])
        #expect(conflicts.map { $0.stored?.key } == [500, nil])
        #expect(try subject.sql("SELECT count(*) FROM ZITEM") == ["1"])
    }

    @Test func `are all reported if their key is taken`() throws {
        let subject = try store("keys")
        for key in [4, 5, 30] as [Int64] { try subject.insert(try subject.row("Item", key)) }

        let refusal = try subject.refusal(
            of: SaveRequest(inserted: RowBatch(try rows(1...30, in: subject))))

        guard case .rowConflicts(let conflicts)? = refusal else {
            Issue.record("\(String(describing: refusal))")
            return
        }
        #expect(conflicts.map(\.id.key) == [4, 5, 30])
        #expect(conflicts.allSatisfy { $0.stored?.key == $0.id.key })
    }

    @Test(arguments: ["real", "owner", "price"])
    func `are not saved if a value cannot be stored, which is named`(_ name: String) throws {
        let subject = try store("refused")
        let foreign = ObjectID(
            store: StoreNumber(rawValue: 77), rootEntity: try subject.entity("Person").number,
            entity: try subject.entity("Person").number, key: 1)
        let value: Value =
            switch name {
            case "real": .double(.nan)
            case "owner":
                .objectID(
                    ObjectID(
                        store: StoreNumber(rawValue: 0x8000_0001), rootEntity: foreign.rootEntity,
                        entity: foreign.entity, key: -5))
            default: .decimal(try #require(Decimal(string: "12345678901234567890.123")))
            }
        var new = try rows(1...30, in: subject)
        new[17] = try subject.row("Item", 18, [name: value])

        let refusal = try subject.refusal(of: SaveRequest(inserted: RowBatch(new)))

        guard case .unsupportedValue("Item", let attribute, _)? = refusal else {
            Issue.record("\(String(describing: refusal))")
            return
        }
        #expect(attribute == name)
        #expect(try subject.sql("SELECT count(*) FROM ZITEM") == ["0"])
        // The connection works as before.
        try subject.save(SaveRequest(inserted: RowBatch(try rows(1...30, in: subject))))
        #expect(try subject.sql("SELECT count(*) FROM ZITEM") == ["30"])
    }

    // MARK: Indexes created after the rows

    private static let schema =
        "SELECT type || name || tbl_name || ifnull(sql, '') FROM sqlite_master ORDER BY 1"

    @Test func `leave the schema unchanged when they fill an empty table`() throws {
        let subject = try store("filled")
        let before = try subject.sql(Self.schema)

        try subject.save(SaveRequest(inserted: RowBatch(try rows(1...1500, in: subject))))

        #expect(try subject.sql(Self.schema) == before)
        #expect(try subject.sql("PRAGMA integrity_check") == ["ok"])
        #expect(
            try subject.sql(
                "SELECT count(*) FROM ZITEM INDEXED BY Z_Item_byLarge WHERE ZLARGE > 0") == ["1400"]
        )
    }

    @Test func `leave the schema unchanged when a large save is refused or rolled back`() throws {
        let subject = try store("refusedFill")
        let before = try subject.sql(Self.schema)
        var new = try rows(1...1500, in: subject)
        let save = try subject.store.beginSave()
        try save.prepare(SaveRequest(inserted: RowBatch(new)))
        save.rollback()
        new[1200] = try subject.row("Item", 1201, ["real": .double(.nan)])

        #expect(try subject.refusal(of: SaveRequest(inserted: RowBatch(new))) != nil)

        #expect(try subject.sql(Self.schema) == before)
        #expect(try subject.sql("SELECT count(*) FROM ZITEM") == ["0"])
        #expect(try subject.sql("PRAGMA integrity_check") == ["ok"])
    }

    @Test func `are checked for unique values in an empty table as in any other`() throws {
        let subject = try store("uniqueFill")
        var new = try rows(1...1500, in: subject)
        new[1300] = try subject.row("Item", 1301, ["code": .string("Nr. 2 – ü")])

        let refusal = try subject.refusal(of: SaveRequest(inserted: RowBatch(new)))

        guard case .uniquenessConflicts(let conflicts)? = refusal else {
            Issue.record("\(String(describing: refusal))")
            return
        }
        #expect(conflicts.map { $0.requested.map(\.key).sorted() } == [[2, 1301]])
    }

    @Test func `are not visible in an earlier snapshot`() throws {
        let subject = try store("snapshots")
        let before = try subject.store.snapshot()
        let plan = FetchPlan(entity: try subject.entity("Item"))
        #expect(try before.count(plan) == 0)

        try subject.save(SaveRequest(inserted: RowBatch(try rows(1...1500, in: subject))))

        #expect(try before.count(plan) == 0)
        #expect(try subject.store.snapshot().count(plan) == 1500)
    }
}
