import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// How many rows each engine reads for a fetch that an index can answer, in stores of two sizes.
@Suite struct `An explained fetch` {
    private static let sizes = TestSetting.isLong ? [1_000, 100_000] : [300, 2_000]

    /// A shape of requests.
    private struct Shape: Sendable {
        var name: String
        var entity = "Item"
        /// The text of the predicate, and its arguments for a store of a size.
        var format = "TRUEPREDICATE"
        var arguments: @Sendable (Int) -> [any PredicateArgument] = { _ in [] }
        /// The sort keys; the order is descending after a minus sign.
        var sorts: [String] = []
        var limit = 0
        var offset = 0
        /// The maximum number of rows to read, in a store of any size.
        var most = 64
        /// How many objects match, or `nil` if that depends on the size.
        var count: Int?
        /// An engine that looks at every object (docs/decisions/sqlite.md says why).
        var scanningEngine: StoreType?

        func request(_ size: Int) throws -> FetchRequest<ManagedObject> {
            var request = FetchRequest<ManagedObject>(entity)
            request.predicate = try FetchPredicate(format: format, arguments: arguments(size))
            request.sortDescriptors = sorts.map {
                $0.hasPrefix("-")
                    ? FetchSortDescriptor(String($0.dropFirst()), ascending: false)
                    : FetchSortDescriptor($0)
            }
            (request.fetchLimit, request.fetchOffset) = (limit, offset)
            return request
        }
    }

    private static func name(_ size: Int) -> String { IndexedStack.name(size / 2) }
    private static func code(_ size: Int) -> String { IndexedStack.code(size / 2) }

    private static let equalities: [Shape] = [
        Shape(name: "unique", format: "code == %@", arguments: { [code($0)] }, count: 1),
        Shape(name: "unique, reversed", format: "%@ == code", arguments: { [code($0)] }, count: 1),
        Shape(
            name: "unique in list", format: "code IN {%@, 'x'}", arguments: { [code($0)] }, count: 1
        ),
        Shape(
            name: "unique or unique", format: "code == %@ OR code == 'code-0000001'",
            arguments: { [code($0)] }, count: 2),
        Shape(
            name: "unique pair", format: "number == 3 AND section == %d", arguments: { [$0 / 20] },
            count: 1),
        Shape(name: "text", format: "name == %@", arguments: { [name($0)] }, count: 2),
        Shape(name: "no such text", format: "name == 'x'", count: 0),
        Shape(
            name: "text in list", format: "name IN {%@, 'the name of item 0000001'}",
            arguments: { [name($0)] }, count: 4),
        Shape(
            name: "text or text", format: "name == %@ OR name == 'the name of item 0000001'",
            arguments: { [name($0)] }, count: 4),
        Shape(
            name: "one index or another", format: "rank == 7 OR name == %@",
            arguments: { [name($0)] }),
        Shape(
            name: "or of conjunctions",
            format: "(rank == 7 AND note != 'x') OR (code == %@ AND note != 'x')",
            arguments: { [code($0)] }),
        Shape(name: "integer", format: "rank == %d", arguments: { [$0 / 2] }, count: 1),
        Shape(name: "integer or integer", format: "rank == 1 OR rank == 2 OR rank == 30", count: 3),
        Shape(
            name: "integer and others", format: "note CONTAINS 'note' AND rank == 7", count: 1),
        Shape(
            name: "UUID", format: "uid == %@", arguments: { [IndexedStack.uid($0 / 2)] }, count: 1),
        Shape(
            name: "URL", format: "page == %@",
            arguments: { [URL(string: IndexedStack.page($0 / 2)) ?? URL(fileURLWithPath: "/")] },
            count: 1),
        Shape(name: "nil", format: "remark == nil", count: 1),
    ]

    private static let ranges: [Shape] = [
        Shape(name: "between", format: "rank BETWEEN {10, 19}", count: 10),
        Shape(name: "above", format: "rank >= %d", arguments: { [$0 - 10] }, count: 10),
        Shape(name: "below", format: "rank < 10", count: 10),
        Shape(
            name: "range", format: "rank > %d AND rank <= %d",
            arguments: { [$0 / 2, $0 / 2 + 10] },
            count: 10),
        Shape(
            name: "range of numbers", format: "price >= %f AND price < %f",
            arguments: { [Double($0 / 4), Double($0 / 4 + 5)] }, count: 10),
        Shape(
            name: "range of dates", format: "added >= %@ AND added < %@",
            arguments: { [IndexedStack.date($0 / 2), IndexedStack.date($0 / 2 + 10)] }, count: 10),
        Shape(
            name: "range of texts", format: "name >= %@ AND name < %@",
            arguments: { [IndexedStack.name($0 / 2), IndexedStack.name($0 / 2 + 10)] }, count: 10),
        Shape(
            name: "prefix", format: "name BEGINSWITH %@",
            arguments: { [String(name($0).dropLast())] }, count: 20),
    ]

    private static let orders: [Shape] = [
        Shape(name: "first", limit: 10, count: 10),
        Shape(name: "first by number", sorts: ["rank"], limit: 10, count: 10),
        Shape(name: "last by number", sorts: ["-rank"], limit: 10, count: 10),
        Shape(name: "first by text", sorts: ["name"], limit: 10, count: 10),
        Shape(name: "page by text", sorts: ["-name"], limit: 10, offset: 20, count: 10),
        Shape(name: "last by date", sorts: ["-added"], limit: 10, count: 10),
        Shape(name: "first by nil", sorts: ["remark"], limit: 10, count: 10),
        Shape(name: "first by two keys", sorts: ["name", "-rank"], limit: 10, count: 10),
        Shape(
            name: "first above", format: "rank >= %d", arguments: { [$0 / 2] }, sorts: ["rank"],
            limit: 10, count: 10),
        Shape(
            name: "last below", format: "rank < %d", arguments: { [$0 / 2] }, sorts: ["-rank"],
            limit: 10, count: 10),
        Shape(
            name: "first of half", format: "note != 'note 1'", sorts: ["rank"], limit: 10,
            most: 300,
            count: 10),
    ]

    private static let relationships: [Shape] = [
        Shape(
            name: "owner's name", format: "owner.name == %@",
            arguments: { ["the owner of \(IndexedStack.code($0 / 10 * 5))"] }, count: 5),
        Shape(
            name: "any item's rank", entity: "Owner", format: "ANY items.rank == 7", count: 1,
            scanningEngine: .sqlite),
    ]

    private static let shapes = equalities + ranges + orders + relationships

    @Test(arguments: everyEngine)
    func `reads as few rows in a large store as in a small one`(_ type: StoreType) throws {
        for size in Self.sizes {
            let stack = try IndexedStack(type, size)
            for shape in Self.shapes where shape.scanningEngine != type {
                let request = try shape.request(size)

                let (count, explanations) = try stack.inContext { [request] context in
                    (try context.fetch(request).count, try context.explain(request))
                }

                let explanation = try #require(explanations.first)
                let rowsRead = try #require(explanation.report?.rowsRead)
                let text = Comment("\(shape.name), \(size) objects: \(explanation)")
                #expect(explanations.count == 1 && explanation.type == type)
                #expect(rowsRead <= shape.most, text)
                #expect(explanation.matchCount == count, text)
                if let expected = shape.count { #expect(count == expected, text) }
                // Without an index, an engine needs no more than the first rows.
                #expect(explanation.report?.access.isEmpty == (shape.name == "first"), text)
            }
        }
    }

    @Test(arguments: everyEngine)
    func `reads as few rows for objects and for the sources of a relationship`(
        _ type: StoreType
    ) throws {
        for size in Self.sizes {
            let stack = try IndexedStack(type, size)
            let ids = try stack.ids([3, size / 2, size - 1])
            let formats = [("SELF IN %@", 3), ("SELF == %@ OR rank == 7", 2)]

            for (format, count) in formats {
                var request = FetchRequest<ManagedObject>("Item")
                request.predicate = try FetchPredicate(
                    format: format, arguments: count == 3 ? [ids] : [ids[1]])
                let explanation = try stack.explain(request)

                let rowsRead = try #require(explanation.report?.rowsRead)
                #expect(rowsRead <= 8, Comment("\(explanation)"))
                #expect((1...count).contains(explanation.matchCount))
            }
        }
    }

    /// Prints what an index saves: the time of each shape with and without the indexes.
    @Test(.enabled(if: TestSetting.isLong), arguments: everyEngine)
    func `is faster than a scan`(_ type: StoreType) throws {
        let size = 20_000
        let stacks = try [[], IndexedStack.indexed].map {
            try IndexedStack(type, size, indexes: $0)
        }

        for shape in Self.shapes {
            let request = try shape.request(size)
            let results = try stacks.map { stack in
                try stack.inContext { [request] context in
                    var best = Duration.seconds(100)
                    for _ in 0..<5 {
                        let time = try ContinuousClock().measure {
                            _ = try context.fetchIDs(request)
                        }
                        best = min(best, time)
                    }
                    let rows = try context.explain(request).first?.report?.rowsRead ?? -1
                    return "\(best), \(rows) rows"
                }
            }
            print("\(type) | \(shape.name) | \(results[0]) | \(results[1])")
        }
    }

    /// The planted defect: without its index, a shape that the others answer with it reads every row.
    @Test(arguments: everyEngine)
    func `shows that an index is missing`(_ type: StoreType) throws {
        let stack = try IndexedStack(type, 500, indexes: ["name"])
        let shape = try #require(Self.shapes.first { $0.name == "integer" })
        let request = try shape.request(500)

        let explanation = try stack.explain(request)

        let report = try #require(explanation.report)
        #expect(report.rowsRead > shape.most)
        #expect(report.rowsRead == 500)
        #expect(report.access.isEmpty)
        #expect(explanation.matchCount == 1)
    }

    @Test func `says in words what was done by whom, and why`() throws {
        let stack = try IndexedStack(.sqlite, 20)
        var request = FetchRequest<ManagedObject>("Item")
        request.predicate = try FetchPredicate(
            format: "name BEGINSWITH 'the' AND TERNARY(rank > 3, rank, 9) == 9")
        request.sortDescriptors = [FetchSortDescriptor("rank")]
        request.fetchLimit = 5

        let explanation = try stack.explain(request)

        let lines = explanation.description.split(separator: "\n").map(String.init)
        #expect(lines.count == 5)
        #expect(lines[0].hasPrefix("SQLite ") && lines[0].hasSuffix("items.store"))
        #expect(lines[1] == #"  by the engine: name BEGINSWITH "the""#)
        #expect(
            lines[2]
                == "  in memory: TERNARY(rank > 3, rank, 9) == 9, order, offset and limit"
                + " (SQL has no expression that always has the same result)")
        #expect(lines[3].hasPrefix("  index: SEARCH t0 USING INDEX"))
        #expect(lines[4].hasPrefix("  rows: 20 read, 20 returned, "))
    }

    @Test(arguments: everyEngine)
    func `concerns the stores of the request, also in a child context`(_ type: StoreType) throws {
        let stack = try IndexedStack(type, 10)
        let parent = ContextHandle(coordinator: stack.coordinator)
        try parent.performAndWait { _ = try $0.insert("Item", ["code": "unsaved"]) }

        let counts = try [parent, ContextHandle(parent: parent)].map { context in
            try context.performAndWait { context in
                try context.explain(FetchRequest<ManagedObject>("Item")).map(\.matchCount)
            }
        }

        #expect(counts == [[10], [10]])
    }
}
