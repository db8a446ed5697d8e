import BenchmarkKit
import Cairn
import Foundation
import GRDB

/// Row J.
struct FetchByIndex: Workload {
    let name = "J"
    let title = "fetch the 1,000 objects of an indexed predicate"
    let about = About(
        goal: "SQLite ≤ 1.1 of preparing the query and reading the rows",
        heldFixed: """
            category = c through the index, in the order of the keys, for up to 10 values of c
            """,
        varied: """
            C prepares each time; Cairn takes the predicate as text each time and makes objects; \
            GRDB takes a query interface request and makes structs
            """)

    private static let categoryCount = 10

    func plan(in setting: Setting) throws -> WorkloadPlan {
        let categories = min(Self.categoryCount, ReferenceModel.groupCount(for: setting.size))
        let url = try setting.items()
        let stack = try Stack(setting.engine, at: url)
        var contenders = [
            Contender("Cairn", .ours, goal: setting.engine == .sqlite ? .ratio(1.1) : nil) {
                try stack.inContext { try Self.fetch(categories, in: $0) }
            }
        ]
        if setting.engine == .sqlite {
            contenders.insert(try Self.baseline(url, categories), at: 0)
            let peer = try GRDBPeer(try setting.shelf.grdbItems(size: setting.size))
            contenders.append(Self.peer(peer, categories))
        }
        return .contests([Contest(unit: "row", contenders)])
    }

    private static func fetch(
        _ categories: Int, in context: ManagedObjectContext
    ) throws -> Sample {
        var watch = Stopwatch()
        let answers: [[Item]] = try watch.time {
            try (0..<categories).map { category in
                try context.fetch(FetchRequest<Item>("Item", where: "category == %@", category))
            }
        }
        return sample(watch, answers.map { $0.map(\.digest) })
    }

    private static func baseline(_ url: URL, _ categories: Int) throws -> Contender {
        let baseline = try SQLiteBaseline(url)
        return Contender("C: prepare, index", .baseline) {
            var watch = Stopwatch()
            let answers = try watch.time {
                try (0..<categories).map { try baseline.items(inCategory: Int64($0)) }
            }
            return Sample(
                watch, operations: answers.reduce(0) { $0 + $1.count },
                checksum: Checksum(answers.map(\.checksum)).value)
        }
    }

    private static func peer(_ peer: GRDBPeer, _ categories: Int) -> Contender {
        Contender("GRDB, filter", .peer) {
            try peer.pool.read { database in
                var watch = Stopwatch()
                let answers = try watch.time {
                    try (0..<categories).map { category in
                        try HandWrittenItem.select(sql: HandWrittenItem.columns)
                            .filter(Column("category") == category).order(Column("id"))
                            .fetchAll(database)
                    }
                }
                return sample(watch, answers.map { $0.map(\.digest) })
            }
        }
    }

    private static func sample(_ watch: Stopwatch, _ answers: [[UInt64]]) -> Sample {
        Sample(
            watch, operations: answers.reduce(0) { $0 + $1.count },
            checksum: Checksum(answers.map { Checksum($0).value }).value)
    }
}
