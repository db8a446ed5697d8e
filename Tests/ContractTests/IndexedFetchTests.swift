import CairnModel
import CairnStore
import Foundation
import Testing

/// The same objects in an entity whose attributes are indexed and in one whose are not: fetches
/// must answer alike.
@Suite(.onEveryEngine) struct `Indexed fetches` {
    let subject: StoreUnderTest

    init() throws {
        subject = try StoreUnderTest([
            Self.entity("Plain", isIndexed: false), Self.entity("Quick", isIndexed: true),
            EntityDescription(
                "Owner",
                [
                    .toMany("plains", "Plain", inverse: "owner"),
                    .toMany("quicks", "Quick", inverse: "owner"),
                ]),
        ])
        try subject.insert(try subject.row("Owner", 1), try subject.row("Owner", 2))
        for key in 1...60 as ClosedRange<Int64> {
            for entity in ["Plain", "Quick"] {
                try subject.insert(try subject.row(entity, key, try values(key)))
            }
        }
        // Changed and deleted rows leave their indexes too.
        for entity in ["Plain", "Quick"] {
            try subject.save(
                SaveRequest(
                    updated: try [7, 8, 9].map {
                        try subject.update(entity, $0, from: 1, try values($0 + 20))
                    },
                    deleted: try [10, 11].map { try subject.deletion(entity, $0, from: 1) }))
        }
    }

    private static func entity(_ name: String, isIndexed: Bool) -> EntityDescription {
        let types: [(String, AttributeType)] = [
            ("number", .integer32), ("ratio", .double), ("single", .float), ("text", .string),
            ("day", .date), ("flag", .boolean),
        ]
        let attributes = types.map { name, type in
            var attribute = AttributeDescription(name, type)
            attribute.isIndexed = isIndexed
            return PropertyDescription.attribute(attribute)
        }
        let inverse = name == "Plain" ? "plains" : "quicks"
        return EntityDescription(name, attributes + [.toOne("owner", "Owner", inverse: inverse)])
    }

    private func values(_ key: Int64) throws -> [String: Value] {
        let texts = ["", "a", "abcdefgh", "abcdefghi", "abcdefghz", "b", "ä", "Z", "🪨"]
        let ratios: [Double] = [.nan, -.infinity, -1.5, -0.0, 0, 1e-300, 2.5, .infinity]
        var values: [String: Value] = [
            "number": .integer(key % 7 - 3), "ratio": .double(ratios[Int(key) % 8]),
            "single": .float(Float(key % 5) / 10), "text": .string(texts[Int(key) % 9]),
            "day": .date(Date(timeIntervalSinceReferenceDate: Double(key % 4))),
            "flag": .boolean(key % 2 == 0),
            "owner": .objectID(try subject.id("Owner", key % 2 + 1)),
        ]
        if key % 6 == 0 { for name in ["number", "ratio", "text"] { values[name] = .null } }
        return values
    }

    private func keys(_ entity: String, _ predicate: BoundPredicate) throws -> [Int64] {
        let plan = FetchPlan(entity: try subject.entity(entity), predicate: predicate)
        let snapshot = try subject.store.snapshot()
        let cursor = try snapshot.cursor(plan)
        var keys: [Int64] = []
        while let batch = try cursor.next(atMost: 7) { keys += batch.ids.map(\.key) }
        #expect(try snapshot.count(plan) == keys.count)
        return keys
    }

    @Test(arguments: [
        "number == 2", "number == nil", "number != 2", "number < 0", "number <= 0", "number > 1.5",
        "number >= 1", "number BETWEEN {-1, 1}", "number BETWEEN {1, -1}", "number IN {3, 3, -2}",
        "number IN {}", "ratio == 0", "ratio < 0", "ratio > 0", "ratio <= -1.5", "ratio >= 1",
        "single == 0.2", "single > 0.2", "text == ''", "text == 'abcdefghi'", "text > 'abcdefghi'",
        "text < 'b'", "text BEGINSWITH 'abc'", "text BEGINSWITH 'abcdefghi'", "text BEGINSWITH ''",
        "text ==[c] 'z'", "text BEGINSWITH[cd] 'A'", "text IN {'ä', '🪨', 'no'}", "text >= 'ä'",
        "text == nil", "flag == YES", "flag == NO AND number > 0", "number > 0 OR text == 'a'",
        "NOT number > 0", "number == 1 AND text == 'b' AND flag == YES", "day > CAST(1, 'NSDate')",
        "text CONTAINS 'ef'", "number + 1 == 2", "owner != nil", "number == ratio",
    ])
    func `answer as a scan does`(format: String) throws {
        let predicate = try FetchPredicate(format: format)

        let scanned = try keys("Plain", try predicate.bound(to: try subject.entity("Plain")))
        let found = try keys("Quick", try predicate.bound(to: try subject.entity("Quick")))

        #expect(found == scanned)
        #expect(scanned == scanned.sorted())
    }

    @Test func `find objects by themselves and by a to-one`() throws {
        func comparison(_ path: BoundPath, _ ids: [ObjectID]) -> BoundPredicate {
            .comparison(
                BoundComparison(
                    .path(path), .in, .list(ids.map { .constant(.objectID($0)) })))
        }
        let owner = try subject.id("Owner", 2)
        let own = try [5, 3, 10, 3].map { try subject.id("Quick", $0) }
        let toOne = BoundPath(
            relationships: [try subject.relationship("Quick", "owner")], leaf: .object)

        #expect(try keys("Quick", comparison(BoundPath(leaf: .object), own + [owner])) == [3, 5])
        let owned = try keys("Quick", comparison(toOne, [owner] + own))
        #expect(owned == (1...60).filter { $0 % 2 == 1 && $0 != 11 })
        #expect(try keys("Quick", comparison(toOne, [])) == [])
    }
}
