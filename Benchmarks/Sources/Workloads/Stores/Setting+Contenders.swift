import BenchmarkKit
import Cairn
import Foundation
import GRDB

/// What is to be read of a contender's answer, so that it can be compared with the others'.
protocol Digestible {
    /// All values, in a number.
    var digest: UInt64 { get }
}

extension Item: Digestible {}
extension HandWrittenItem: Digestible {}
extension CodableItem: Digestible {}
extension PlainItem: Digestible {}

extension Sample {
    /// A sample of work that answered with rows: one operation each, their values the checksum.
    init<Rows: Collection>(_ watch: Stopwatch, rows: Rows) where Rows.Element: Digestible {
        self.init(
            watch, operations: rows.count, checksum: Checksum(rows.lazy.map(\.digest)).value)
    }

    /// A sample of work that the C library did.
    init(_ watch: Stopwatch, _ reading: Reading, operations: Int? = nil) {
        self.init(
            watch, operations: operations ?? reading.count, checksum: reading.checksum)
    }
}

extension Setting {
    /// The goal where it is set for this engine.
    func goal(_ goal: Goal, on engine: StoreType = .sqlite) -> Goal? {
        self.engine == engine ? goal : nil
    }

    /// Cairn, in a new context on the store with all items each time.
    func ours(
        _ name: String = "Cairn", goal: Goal? = nil,
        _ body: @escaping @Sendable (ManagedObjectContext) throws -> Sample
    ) throws -> Contender {
        let stack = try items()
        return Contender(name, .ours, goal: goal) { try stack.inContext(body) }
    }

    /// SQLite's library on the store with all items; nothing on another engine.
    ///
    /// - Parameters:
    ///   - operations: how many the body does; nil: as many as it reads rows.
    ///   - body: is timed.
    func sqlite(
        _ name: String, operations: Int? = nil,
        _ body: @escaping (SQLiteBaseline) throws -> Reading
    ) throws -> [Contender] {
        guard isSQLite else { return [] }
        let baseline = try SQLiteBaseline(try itemsURL())
        return [
            Contender(name, .baseline) {
                var watch = Stopwatch()
                let reading = try watch.time { try body(baseline) }
                return Sample(watch, reading, operations: operations)
            }
        ]
    }

    /// LMDB's library on the store with all items; nothing on another engine.
    ///
    /// - Parameters:
    ///   - operations: how many the body does; nil: as many as it reads rows.
    ///   - body: is timed.
    func lmdb(
        _ name: String, operations: Int? = nil,
        _ body: @escaping (LMDBBaseline) throws -> some BaselineAnswer
    ) throws -> [Contender] {
        guard engine == .lmdb else { return [] }
        let baseline = try LMDBBaseline(try itemsURL())
        return [
            Contender(name, .baseline) {
                var watch = Stopwatch()
                let answer = try watch.time { try body(baseline) }
                return Sample(watch, answer.reading, operations: operations)
            }
        ]
    }

    /// GRDB on its database with all items; nothing on another engine.
    ///
    /// - Parameter body: is timed.
    func grdb<Row: Digestible>(
        _ name: String, _ body: @escaping (Database) throws -> [Row]
    ) throws -> [Contender] {
        guard isSQLite else { return [] }
        let peer = try grdbItems()
        return [
            Contender(name, .peer) {
                try peer.pool.read { database in
                    var watch = Stopwatch()
                    let rows = try watch.time { try body(database) }
                    return Sample(watch, rows: rows)
                }
            }
        ]
    }
}
