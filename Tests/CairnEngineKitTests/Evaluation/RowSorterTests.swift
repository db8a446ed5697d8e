import CairnModel
import CairnTestSupport
import Foundation
import Testing

@testable import CairnEngineKit
@testable import CairnRows
@testable import CairnStore

@Suite struct `Row sorter` {
    private func order(
        _ fixture: EvaluationFixture, _ sorts: [(String, Bool, BoundSort.TextOrder)]
    ) throws -> [Int64] {
        let author = try fixture.entity("Author")
        let bound = try sorts.map {
            BoundSort(
                try BoundPath(keyPath: $0.0, entity: author), isAscending: $0.1, textOrder: $0.2)
        }
        let batch = RowBatch(fixture.ids(of: author).reversed().compactMap { fixture.rows[$0] })
        let sorter = RowSorter(bound, layouts: fixture.layouts, resolver: fixture)
        let sorted = try sorter.sorted(batch)

        // The three ways to sort must agree: directly by slots, by keys, and by plain values.
        let keys = try batch.rows.map { try sorter.key(of: $0) }.sorted()
        try #require(keys.map(\.id) == sorted.ids)
        let objects = batch.ids.compactMap { fixture.items[$0] }
        let indices = try ObjectSorter(bound, source: ItemSource(fixture: fixture))
            .sortedIndices(count: objects.count) { objects[$0] }
        try #require(indices.map { objects[$0].id } == sorted.ids)
        return sorted.ids.map(\.key)
    }

    private func fixture(_ name: String, _ values: [Value]) throws -> EvaluationFixture {
        let fixture = try EvaluationFixture()
        for (index, value) in values.enumerated() {
            try fixture.insert("Author", Int64(index + 1), [name: value])
        }
        return fixture
    }

    @Test(
        arguments: [
            ("age", [3, .null, -1, 3, 0], [2, 3, 5, 1, 4]),
            ("count", [.integer(.max), .integer(.min), 0, .null], [4, 2, 3, 1]),
            (
                "score", [1.0, .double(.nan), .double(-.infinity), -0.0, 0.0, .null, -1.0],
                [6, 2, 3, 7, 4, 5, 1]
            ),
            ("rating", [.float(2), .float(.nan), .float(-1)], [2, 3, 1]),
            ("isAlive", [true, false, .null], [3, 2, 1]),
            (
                "balance",
                [
                    .decimal(Decimal(string: "0.10000000000000000000001")!),
                    .decimal(Decimal(string: "0.1")!), .decimal(.nan), .decimal(-3),
                ], [3, 4, 2, 1]
            ),
            (
                "name", ["b", "a", "B", "ab", "", "\u{E9}", .null, "abcdefgh2", "abcdefgh1"],
                [7, 5, 3, 2, 4, 9, 8, 1, 6]
            ),
            ("site", [.uri(URL(string: "b:x")!), .uri(URL(string: "a:x")!)], [2, 1]),
        ] as [(String, [Value], [Int64])])
    func `puts nil first, then values in their order`(
        _ name: String, _ values: [Value], _ expected: [Int64]
    ) throws {
        let fixture = try fixture(name, values)

        let ascending = try order(fixture, [(name, true, .scalars)])

        #expect(ascending == expected)
    }

    @Test func `reverses everything except ties by key in descending order`() throws {
        let fixture = try fixture("age", [1, 2, .null, 2, 1])

        #expect(try order(fixture, [("age", false, .scalars)]) == [2, 4, 1, 5, 3])
        #expect(try order(fixture, []) == [1, 2, 3, 4, 5])
    }

    @Test func `uses the next descriptor if the first one ties`() throws {
        let fixture = try EvaluationFixture()
        for (key, name, age) in [(1, "b", 1), (2, "a", 2), (3, "b", 3), (4, "a", 1)]
            as [(Int64, String, Int64)]
        {
            try fixture.insert("Author", key, ["name": .string(name), "age": .integer(age)])
        }

        #expect(
            try order(fixture, [("name", true, .scalars), ("age", false, .scalars)]) == [
                2, 4, 3, 1,
            ])
        #expect(
            try order(fixture, [("age", true, .scalars), ("name", true, .scalars)]) == [4, 1, 2, 3])
    }

    @Test func `orders text as the descriptor says`() throws {
        let names: [Value] = ["b10", "B9", "a", "\u{C4}", "A", "b010", "z"]
        let fixture = try fixture("name", names)

        #expect(try order(fixture, [("name", true, .scalars)]) == [5, 2, 3, 6, 1, 7, 4])
        #expect(try order(fixture, [("name", true, .caseInsensitive)]) == [3, 5, 6, 1, 2, 7, 4])
        #expect(try order(fixture, [("name", true, .standard)]) == [5, 3, 4, 2, 6, 1, 7])
    }

    @Test func `follows to-ones and aggregates to-manys`() throws {
        let fixture = try EvaluationFixture()
        let first = try fixture.insert("Author", 1, ["name": "z"])
        let second = try fixture.insert("Author", 2, ["name": "a", "mentor": .objectID(first)])
        try fixture.insert("Author", 3, ["name": "m", "mentor": .objectID(second)])
        try fixture.insert("Book", 1, ["author": .objectID(second), "pages": 5])

        #expect(try order(fixture, [("mentor.name", true, .scalars)]) == [1, 3, 2])
        #expect(try order(fixture, [("books.@count", false, .scalars)]) == [2, 1, 3])
        #expect(try order(fixture, [("books.@sum.pages", true, .scalars)]) == [1, 3, 2])
        #expect(try order(fixture, [("mentor", false, .scalars)]) == [3, 2, 1])
    }

    /// More rows than are sorted by comparison, with many equal keys.
    @Test func `sorts many rows by several descriptors as their keys compare`() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededRandom(seed: seed)
        let fixture = try EvaluationFixture()
        let scores: [Double] = [
            .nan, -.infinity, -1, -0.0, 0, .leastNonzeroMagnitude, 1, 1.5, .infinity,
        ]
        let names = ["", "a", "a\0", "aaaaaaaa", "aaaaaaaab", "aaaaaaaaa", "\u{E9}", "b"]
        for key in 1...700 as ClosedRange<Int64> {
            var values: [String: Value] = [:]
            values["score"] = scores.randomElement(using: &random).map(Value.double)
            values["rank"] = .integer(Int64.random(in: -3...3, using: &random))
            values["count"] = .integer(Int64(bitPattern: random.next()))
            values["name"] = names.randomElement(using: &random).map(Value.string)
            values["isAlive"] = .boolean(Bool.random(using: &random))
            for name in values.keys.sorted() where Int.random(in: 0..<6, using: &random) == 0 {
                values[name] = nil
            }
            try fixture.insert(key % 5 == 0 ? "Poet" : "Author", key, values)
        }
        let paths = ["score", "rank", "count", "name", "isAlive"]

        for round in 0..<30 {
            let chosen = paths.shuffled(using: &random).prefix(1 + round % 3)
            let sorts = chosen.map {
                ($0, Bool.random(using: &random), BoundSort.TextOrder.scalars)
            }
            let keys = try order(fixture, Array(sorts))
            #expect(keys.count == 700, "seed \(seed)")
        }
    }
}
