import CairnModel
import CairnSQL
import CairnTestSupport
import Foundation

@testable import CairnSQLite

/// A small store whose rows contain every type, `nil`, extreme values and dangling references.
enum EdgeCaseStore {
    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel([
            EntityDescription(
                "Thing", isAbstract: true,
                [
                    .attribute("name", .string), .attribute("other", .string),
                    .attribute("small", .integer16), .attribute("middle", .integer32),
                    .attribute("large", .integer64), .attribute("flag", .boolean),
                    .attribute("real", .double), .attribute("short", .float),
                    .attribute("price", .decimal), .attribute("cost", .decimal),
                    .attribute("day", .date), .attribute("uuid", .uuid), .attribute("uri", .uri),
                    .attribute("bytes", .binary), .attribute("archive", .transformable),
                    .toOne("owner", "Owner", inverse: "things"),
                    .toOne("parent", "Thing", inverse: "children"),
                    .toMany("children", "Thing", inverse: "parent", isOrdered: true),
                    .toMany("tags", "Tag", inverse: "things"),
                ]),
            EntityDescription("Book", superentity: "Thing", [.attribute("pages", .integer32)]),
            EntityDescription("Box", superentity: "Thing", [.attribute("label", .string)]),
            EntityDescription(
                "Owner",
                [
                    .attribute("name", .string), .attribute("age", .integer16),
                    .toMany("things", "Thing", inverse: "owner"),
                    .toOne("friend", "Owner", inverse: "friendOf"),
                    .toMany("friendOf", "Owner", inverse: "friend"),
                ]),
            EntityDescription(
                "Tag",
                [
                    .attribute("name", .string), .attribute("weight", .double),
                    .toMany("things", "Thing", inverse: "tags", isOrdered: true),
                    .toMany("related", "Tag", inverse: "related"),
                ]),
        ])
    }

    static func make(seed: UInt64) throws -> ReadStore {
        let store = try ReadStore(creating: try model())
        var random = SeededRandom(seed: seed)
        try store.plain.execute("BEGIN")
        for (name, count) in [("Book", 30), ("Box", 20), ("Owner", 12), ("Tag", 9)] {
            try fill(store, store.entity(name), count, &random)
        }
        try pair(store, &random)
        try relate(store, &random)
        try store.plain.execute("COMMIT")
        return store
    }

    /// Books and boxes share the keys of their root entity, `Thing`.
    private static func fill(
        _ store: ReadStore, _ entity: Entity, _ count: Int, _ random: inout SeededRandom
    ) throws {
        guard let schema = store.schema.map.schema(of: entity) else { return }
        let first = entity.name == "Box" ? 31 : 1
        for key in first..<first + count {
            var columns: [SQLText] = ["Z_PK", "Z_ENT", "Z_OPT"]
            var values: [SQLText] = [
                "\(bind: .integer(Int64(key)))", "\(bind: .integer(schema.storeNumber))", "1",
            ]
            for slot in schema.slots {
                for (name, value) in cells(slot, store, &random) {
                    columns.append("\(name)")
                    values.append(value)
                }
            }
            try store.plain.query(
                """
                INSERT INTO \(schema.table) (\(SQLText.joined(columns, by: ","))) \
                VALUES (\(SQLText.joined(values, by: ",")))
                """
            ).run()
        }
    }

    private static func cells(
        _ column: SlotColumn, _ store: ReadStore, _ random: inout SeededRandom
    ) -> [(SQLName, SQLText)] {
        switch column.form {
        case .composite: return []
        case .value(let name):
            guard case .attribute(let attribute) = column.property,
                let value = anyValue(attribute.type, &random)
            else { return [] }
            return [(name, "\(bind: value)")]
        case .toOne(let key, let entity, let order):
            guard case .relationship(let relationship) = column.property, random.next() % 4 > 0
            else { return [] }
            // Some keys exceed the existing ones, so that the references dangle.
            let isThing = relationship.destination.name == "Thing"
            let destination = Int64(random.next() % (isThing ? 60 : 15)) + 1
            var result: [(SQLName, SQLText)] = [(key, "\(bind: .integer(destination))")]
            if let entity {
                let name = destination > 30 ? "Box" : "Book"
                let number = store.schema.map.storeNumber(of: store.entity(name).number) ?? 0
                result.append((entity, "\(bind: .integer(number))"))
            }
            if let order {
                result.append((order, "\(bind: .integer(Int64(random.next() % 9999)))"))
            }
            return result
        }
    }

    private static func pair(_ store: ReadStore, _ random: inout SeededRandom) throws {
        let relationship = store.entity("Thing").relationship(named: "tags")
        guard let join = relationship.flatMap({ store.schema.map.joinTable(of: $0) }) else {
            return
        }
        var pairs: Set<[Int64]> = []
        for _ in 0..<80 {
            pairs.insert([Int64(random.next() % 55) + 1, Int64(random.next() % 11) + 1])
        }
        for pair in pairs {
            let order: SQLText = join.ownerOrderColumn.map { ", \($0)" } ?? ""
            let orderKey: SQLText = join.ownerOrderColumn == nil ? "" : ", 2048"
            try store.plain.query(
                """
                INSERT INTO \(join.table) (\(join.ownerColumn), \(join.memberColumn)\(order)) \
                VALUES (\(bind: .integer(pair[0])), \(bind: .integer(pair[1]))\(orderKey))
                """
            ).run()
        }
    }

    /// Inserts pairs of a relationship that is its own inverse, in one direction or in both.
    private static func relate(_ store: ReadStore, _ random: inout SeededRandom) throws {
        let relationship = store.entity("Tag").relationship(named: "related")
        guard let join = relationship.flatMap({ store.schema.map.joinTable(of: $0) }) else {
            return
        }
        for _ in 0..<12 {
            let pair = [Int64(random.next() % 9) + 1, Int64(random.next() % 11) + 1]
            try store.plain.query(
                """
                INSERT INTO \(join.table) (\(join.ownerColumn), \(join.memberColumn)) \
                VALUES (\(bind: .integer(pair[0])), \(bind: .integer(pair[1])))
                """
            ).run()
        }
    }

    /// Returns a random value. One in five is `nil`.
    private static func anyValue(
        _ type: AttributeType, _ random: inout SeededRandom
    ) -> SQLText.Parameter? {
        guard random.next() % 5 > 0 else { return nil }
        func pick<T>(_ all: [T], _ random: inout SeededRandom) -> T {
            all[Int(random.next() % UInt64(all.count))]
        }
        switch type {
        case .boolean: return .integer(pick([0, 1], &random))
        case .integer16: return .integer(pick([-32768, -1, 0, 1, 2, 3, 7, 32767], &random))
        case .integer32:
            return .integer(pick([-2_147_483_648, -2, 0, 1, 5, 2_147_483_647], &random))
        case .integer64:
            return .integer(
                pick([.min, -7, 0, 1, 3, 9_007_199_254_740_993, .max - 1, .max], &random))
        case .double:
            return .real(pick([-.infinity, -1.5, 0, 0.1, 0.5, 1, 3, 1e18, .infinity], &random))
        case .float: return .real(pick([-1.5, 0, 0.1, Double(Float(0.1)), 2, 3.25], &random))
        case .decimal:
            return pick(
                [
                    .integer(0), .integer(3), .real(0.1), .real(-2.5), .real(19.99), .real(1e20),
                    .integer(.max), .real(1e-7),
                ], &random)
        case .date:
            return pick([.integer(0), .integer(7), .real(0.5), .real(-1.25), .real(7e8)], &random)
        case .string: return .text(pick(texts, &random))
        case .uri:
            return .text(
                pick(["https://example.org/a", "https://example.org/b", "urn:x"], &random))
        case .uuid: return .blob(Data(repeating: pick([0, 1, 127, 128, 255], &random), count: 16))
        default: return .blob(pick([Data(), Data([0]), Data([1, 2]), Data([255])], &random))
        }
    }

    private static let texts = [
        "", "a", "A", "ab", "aB", "Äb", "a\u{308}b", "straße", "STRASSE", "b\0c", "10", "9", "1.5",
        "%", "_", "a*b", "ﬁn", "日本", "\u{10FFFF}", "e\u{301}", "é", " a ", "\u{D7FF}x",
    ]
}
