import CairnModel
import CairnTestSupport
import Foundation
import Testing

@testable import CairnEngineKit
@testable import CairnRows
@testable import CairnStore

@Suite struct `Candidates for the first rows` {
    private static let names = ["age", "count", "score", "rating", "born", "name"]
    private static let seed = SeededRandom.seed(of: "first candidates")

    private func value(_ name: String, _ random: inout SeededRandom, among count: Int) -> Value {
        let number = Int64(random.next() % UInt64(count))
        switch name {
        case _ where random.next() % 9 == 0: return .null
        case "score":
            return [.double(.nan), .double(-0.0), .double(Double(number) - 3)][Int(number % 3)]
        case "rating": return .float(Float(number) / 2 - 5)
        case "born": return .date(Date(timeIntervalSinceReferenceDate: Double(number) * 1e6 - 1e7))
        case "name":
            return .string(["", "é", "abcdefgh", "abcdefghi"][Int(number % 4)] + "\(number)")
        default: return .integer(number - 9)
        }
    }

    @Test(arguments: names, [true, false])
    func `contain all rows that sorting puts first, and few others`(
        _ name: String, _ isAscending: Bool
    ) throws {
        var random = SeededRandom(seed: Self.seed)
        // Many equal values, and hardly any.
        for distinct in [3, 10_000] {
            let fixture = try EvaluationFixture()
            for key in Int64(1)...5_000 {
                try fixture.insert(
                    "Author", key,
                    [
                        name: value(name, &random, among: distinct),
                        "rank": .integer(Int64(random.next() % 7)),
                    ])
            }
            let author = try fixture.entity("Author")
            let sorts = try [(name, isAscending), ("rank", false)].map {
                BoundSort(try BoundPath(keyPath: $0.0, entity: author), isAscending: $0.1)
            }
            let rows = fixture.ids(of: author).shuffled(using: &random).compactMap {
                fixture.rows[$0]
            }
            let sorter = RowSorter(sorts, layouts: fixture.layouts, resolver: fixture)
            let sorted = try sorter.sorted(RowBatch(rows)).ids.map(\.key)
            for wanted in [1, 7, 100] {
                var candidates = try #require(FirstCandidates(wanted, of: sorter))
                for row in rows { candidates.add(row.pointer) }

                let keys = candidates.keys

                let kept = rows.filter { keys.contains($0.key) }
                let first = try sorter.sorted(RowBatch(kept)).ids.map(\.key).prefix(wanted)
                #expect(Array(first) == Array(sorted.prefix(wanted)), "seed \(Self.seed)")
                if distinct > 1_000, name != "score" { #expect(keys.count < 2_500) }
            }
        }
    }

    @Test func `do not exist for keys that are not in the row`() throws {
        let fixture = try EvaluationFixture()
        let author = try fixture.entity("Author")
        for (path, order) in [
            ("mentor.age", BoundSort.TextOrder.scalars), ("name", .standard), ("self", .scalars),
        ] {
            let sort = BoundSort(try BoundPath(keyPath: path, entity: author), textOrder: order)
            let sorter = RowSorter([sort], layouts: fixture.layouts, resolver: fixture)
            #expect(FirstCandidates(3, of: sorter) == nil)
        }
    }
}
