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
    /// What the baselines of saves use: C, and libxml2 for XML.
    private var baselineName: String { engine == .xml ? "libxml2" : "C" }

    /// The goal where it is set for this engine.
    func goal(_ goal: Goal, on engine: StoreType = .sqlite) -> Goal? {
        self.engine == engine ? goal : nil
    }

    /// The goal for the ratio to C on this engine. `nil` if none is set for it.
    func ratioGoal(
        _ sqlite: Double, lmdb: Double? = nil, inMemory: Double? = nil
    ) -> Goal? {
        let ratio: Double? =
            switch engine {
            case .sqlite: sqlite
            case .lmdb: lmdb
            case .inMemory: inMemory
            default: nil
            }
        return ratio.map(Goal.ratio)
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

    /// All items as rows in memory, on an engine that has no library below it; nothing on another.
    ///
    /// - Parameters:
    ///   - operations: how many the body does; nil: as many as it reads rows.
    ///   - body: is timed.
    func memory(
        _ name: String, operations: Int? = nil,
        _ body: @escaping (MemoryBaseline) -> some BaselineAnswer
    ) -> [Contender] {
        guard !isSQLite, engine != .lmdb else { return [] }
        let baseline = shelf.memoryBaseline(size: size)
        return [
            Contender(name, .baseline) {
                var watch = Stopwatch()
                let answer = watch.time { body(baseline) }
                return Sample(watch, answer.reading, operations: operations)
            }
        ]
    }

    /// A query of all items one by one, where the library has none of its own: over LMDB's map, or
    /// rows in memory.
    ///
    /// - Parameter operations: how many it does; nil: as many as it answers with rows.
    func asking(_ what: String, _ query: RowQuery, operations: Int? = nil) throws -> [Contender] {
        try lmdb("C: cursor, seal, \(what)", operations: operations) { try $0.ask(query) }
            + memory("C: rows in memory, \(what)", operations: operations) { $0.ask(query) }
    }

    /// The engine's C library changing a store of its own: a baseline for every built-in engine. Nothing
    /// for an engine written outside, because the library below that engine is not known, and rows in
    /// memory would survive less.
    ///
    /// - Parameter body: times what it does.
    func library(
        _ name: String, changing contents: StoreShelf.Contents,
        _ body: @escaping (any ItemWriter) throws -> Sample
    ) -> [Contender] {
        guard engine.isBuiltIn else { return [] }
        return [
            Contender("\(baselineName): \(name)", .baseline) { try changingC(contents, body) }
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

    /// GRDB counting in its database with all items; nothing on another engine.
    ///
    /// - Parameters:
    ///   - operations: how many the body does.
    ///   - body: is timed.
    func grdbCount(
        _ name: String, operations: Int, _ body: @escaping (Database) throws -> Int
    ) throws -> [Contender] {
        guard isSQLite else { return [] }
        let peer = try grdbItems()
        return [
            Contender(name, .peer) {
                try peer.pool.read { database in
                    var watch = Stopwatch()
                    let count = try watch.time { try body(database) }
                    return Sample(
                        watch, operations: operations,
                        checksum: Checksum(keys: [Int64(count)]).value)
                }
            }
        ]
    }
}
