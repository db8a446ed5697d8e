import BenchmarkKit
import Cairn
import Foundation
import GRDB

/// Opening a store.
struct OpenCold: Workload {
    let name = "open"
    let title = "open a store and read its first object"
    let about = About(
        goal: "SQLite ≤ 2.5, LMDB ≤ 3 of opening a connection and reading a row",
        heldFixed: """
            a closed store of all items, its file in the page cache; the model is compiled; \
            opening, the first of all items, closing
            """,
        varied: """
            C opens a connection and steps once, or reads the whole file; Cairn opens a coordinator's store, makes a \
            context and fetches one object; GRDB opens a pool
            """,
        rest: """
            SQLite: a second connection, which sees the commits of other processes, the columns of \
            all tables, and some 150 system calls. LMDB: the file is opened for writing, for which \
            LMDB clears 2 MB, and C opens it for reading. Both: layouts, a context and its fetch
            """)

    func plan(in setting: Setting) throws -> WorkloadPlan {
        guard setting.engine.isFile else {
            return .notApplicable(
                because: "a store in memory is empty when it is opened")
        }
        let (engine, url) = (setting.engine, try setting.itemsURL())
        let ours = Contender("Cairn", .ours, goal: setting.ratioGoal(2.5, lmdb: 3)) {
            var watch = Stopwatch()
            let checksum = try watch.time {
                let stack = try Stack(engine, at: url)
                let digest = try stack.inContext { context in
                    var request = FetchRequest<Item>()
                    request.fetchLimit = 1
                    let items: [Item] = try context.fetch(request)
                    return Checksum(items.lazy.map(\.digest)).value
                }
                try stack.close()
                return digest
            }
            return Sample(watch, operations: 1, checksum: checksum)
        }
        return .contests([
            Contest(unit: "opening", headline: .open, try Self.others(setting, url) { [ours] })
        ])
    }

    private static func others(
        _ setting: Setting, _ url: URL, between: () -> [Contender]
    ) throws -> [Contender] {
        switch setting.engine {
        case .lmdb: return [lmdb(url)] + between()
        case .binary: return [binary(url)] + between()
        case .xml: return [XMLFile.parsing(url, toFirst: true)] + between()
        case .sqlite: break
        // The library of an engine outside of Cairn is not known.
        default: return between()
        }
        let database = try setting.shelf.grdb(.items, size: setting.size)
        let baseline = Contender("C: open, step, close", .baseline) {
            var watch = Stopwatch()
            let reading = try watch.time {
                try SQLiteBaseline(url).items("ORDER BY Z_PK LIMIT 1")
            }
            return Sample(watch, reading)
        }
        let peer = Contender("GRDB, DatabasePool", .peer) {
            var watch = Stopwatch()
            let checksum = try watch.time {
                let peer = try GRDBPeer(database)
                let items = try peer.pool.read { database in
                    try HandWrittenItem.select(sql: HandWrittenItem.columns)
                        .order(Column("id")).limit(1).fetchAll(database)
                }
                try peer.pool.close()
                return Checksum(items.lazy.map(\.digest)).value
            }
            return Sample(watch, operations: 1, checksum: checksum)
        }
        return [baseline] + between() + [peer]
    }

    private static func lmdb(_ url: URL) -> Contender {
        Contender("C: open, first row, close", .baseline) {
            var watch = Stopwatch()
            let rows = try watch.time {
                let baseline = try LMDBBaseline(url)
                defer { baseline.close() }
                return try baseline.scan(first: 1)
            }
            return Sample(watch, rows.reading)
        }
    }

    private static func binary(_ url: URL) -> Contender {
        Contender("C: read, checksum, first row", .baseline) {
            var watch = Stopwatch()
            let checksum = try watch.time { try BinaryBaseline(reading: url).firstRowChecksum }
            return Sample(watch, operations: 1, checksum: checksum)
        }
    }
}
