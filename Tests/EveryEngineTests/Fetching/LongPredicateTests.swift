import Cairn
import Foundation
import GraphSupport
import Testing

/// Long lists and chains, whose length and depth SQLite limits.
@Suite struct `Long predicates` {
    private static func list(_ count: Int) -> [String] { (0..<count).map { "genre \($0 * 2)" } }

    private static func chain(_ count: Int, _ word: String, _ part: String) -> String {
        Array(repeating: part, count: count).joined(separator: " \(word) ")
    }

    private static let cases: [(format: String, listLength: Int?, expected: Int)] = [
        ("name IN %@", 8_000, 10), ("name IN[c] %@", 1_500, 10),
        (chain(1_500, "OR", "name = 'genre 1'"), nil, 1),
        (chain(1_500, "AND", "name != 'genre 1'"), nil, 19),
    ]

    /// Contains more constants than an SQLite statement may have variables.
    private static let longest: (format: String, listLength: Int?, expected: Int) = (
        "NOT name IN %@ OR name = nil", 33_000, 10
    )

    @Test(arguments: everyEngine)
    func `match the same objects on every engine`(_ type: StoreType) throws {
        let stack = try GraphStack(type)
        let cases = type == .sqlite ? Self.cases + [Self.longest] : Self.cases
        let counts = try stack.inContext { context in
            for number in 0..<20 { _ = try context.insert("Genre", ["name": "genre \(number)"]) }
            try context.save()
            var counts: [Int] = []
            for (format, listLength, _) in cases {
                var request = FetchRequest<ManagedObject>("Genre")
                request.predicate = try FetchPredicate(
                    format: format, arguments: listLength.map { [Self.list($0)] } ?? [])
                counts.append(try context.count(for: request))
            }
            return counts
        }

        #expect(counts == cases.map(\.expected))
    }

    // MARK: Depth

    /// Predicates of a depth: conjunctions in disjunctions, negations, arithmetic, conditions of values, and
    /// wide disjunctions around all of that.
    private static func deep(_ depth: Int) throws -> [FetchPredicate] {
        let name = try FetchPredicate(format: "name == 'genre 3'")
        let other = try FetchPredicate(format: "name BEGINSWITH[c] 'GENRE 1'")
        var (mixed, negated, folded) = (name, name, name)
        for level in 1..<depth {
            mixed = level % 2 == 0 ? .and([.not(name), mixed]) : .or([mixed, other])
            negated = .not(negated)
            // Every third step adds two levels.
            if level * 4 > depth * 3 { continue }
            folded = level % 3 == 0 ? .not(.and([folded, other])) : .or([other, folded])
        }
        var sum = FetchExpression.constant(.integer(1))
        var length = FetchExpression.function("length:", [.keyPath(["name"])])
        for level in 2..<max(depth, 3) {
            sum = .function("add:to:", [.constant(.integer(Int64(level % 3))), sum])
            length = .function("add:to:", [length, .constant(.integer(1))])
        }
        let wide = FetchPredicate.or(
            (0..<100).map { .and([.not(name), $0 == 50 ? mixed : other]) })
        return [
            mixed, negated, folded, wide,
            .comparison(PredicateComparison(length, .greaterThan, sum)),
        ]
    }

    @Test(arguments: everyEngine)
    func `of any depth match the same objects on every engine`(_ type: StoreType) throws {
        let (stack, reference) = (try GraphStack(type), try GraphStack(.inMemory))
        let depths = [5, 15, 20, 25, 30, 33, 36, 40, 47, 60, 90, 100, 150, 190]
        let counts = try [stack, reference].map { stack in
            try stack.inContext { context in
                for number in 0..<20 {
                    _ = try context.insert("Genre", ["name": "genre \(number)"])
                }
                try context.save()
                return try depths.flatMap(Self.deep).map { predicate in
                    var request = FetchRequest<ManagedObject>("Genre")
                    request.predicate = predicate
                    let found = try context.fetchIDs(request).count
                    request.sortDescriptors = [FetchSortDescriptor("name")]
                    return [found, try context.count(for: request)]
                }
            }
        }

        #expect(counts[0] == counts[1])
    }

    /// Every depth on SQLite, whose parser accepts some of the text and not the rest.
    @Test func `of every depth are accepted by SQLite`() throws {
        let stack = try GraphStack(.sqlite)

        let errors = try stack.inContext { context in
            (2...120).filter { depth in
                do {
                    for predicate in try Self.deep(depth) {
                        var request = FetchRequest<ManagedObject>("Genre")
                        request.predicate = .and([
                            predicate, try FetchPredicate(format: "name != 'x'"),
                        ])
                        _ = try context.explain(request)
                    }
                    return false
                } catch {
                    return true
                }
            }
        }

        #expect(errors == [])
    }

    /// Most of the depths that SQLite's parser accepts are not left to the evaluator.
    @Test func `of moderate depth are evaluated by SQLite`() throws {
        let stack = try GraphStack(.sqlite)

        let remaining = try stack.inContext { context in
            try Self.deep(15).map { predicate in
                var request = FetchRequest<ManagedObject>("Genre")
                request.predicate = predicate
                return try context.explain(request).map(\.completed.isComplete)
            }
        }

        #expect(remaining.allSatisfy { $0 == [true] })
    }
}
