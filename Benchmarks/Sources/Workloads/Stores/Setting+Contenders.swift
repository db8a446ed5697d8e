import BenchmarkRows
import Cairn
import Foundation
import GRDB

extension HandWrittenItem: Digestible {}
extension CodableItem: Digestible {}

extension Sample {
    /// Creates a sample of work by the C library.
    init(_ watch: Stopwatch, _ reading: Reading, operations: Int? = nil) {
        self.init(
            watch, operations: operations ?? reading.count, checksum: reading.checksum)
    }
}

extension Setting {
    /// The name of the baselines for saves: C, or libxml2 for XML.
    private var baselineName: String { engine == .xml ? "libxml2" : "C" }

    /// Returns a contender that uses SQLite's library on the store with all items. Empty for other engines.
    ///
    /// - Parameters:
    ///   - operations: The number of operations in the body, or `nil` for the number of rows that it reads.
    ///   - body: The work, which is timed.
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

    /// Returns a contender that uses LMDB's library on the store with all items. Empty for other engines.
    ///
    /// - Parameters:
    ///   - operations: The number of operations in the body, or `nil` for the number of rows that it reads.
    ///   - body: The work, which is timed.
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

    /// Returns a contender that uses all items as rows in memory, for engines without an underlying library.
    /// Empty for other engines.
    ///
    /// - Parameters:
    ///   - operations: The number of operations in the body, or `nil` for the number of rows that it reads.
    ///   - body: The work, which is timed.
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

    /// Returns contenders that evaluate a query item by item, for engines whose library has no queries: over
    /// LMDB's map, or over rows in memory.
    ///
    /// - Parameter operations: The number of operations, or `nil` for the number of rows in the answer.
    func asking(_ what: String, _ query: RowQuery, operations: Int? = nil) throws -> [Contender] {
        try lmdb("C: cursor, seal, \(what)", operations: operations) { try $0.ask(query) }
            + memory("C: rows in memory, \(what)", operations: operations) { $0.ask(query) }
    }

    /// Returns a baseline in which the engine's C library changes a new store.
    ///
    /// - Parameter body: The work, which times itself.
    func library(
        _ name: String, changing contents: StoreTemplates.Contents,
        _ body: @escaping (any ItemWriter) throws -> Sample
    ) -> [Contender] {
        [Contender("\(baselineName): \(name)", .baseline) { try changingC(contents, body) }]
    }

    /// Returns a contender that uses GRDB on its database with all items. Empty for other engines.
    ///
    /// - Parameter body: The work, which is timed.
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

    /// Returns a contender that uses GRDB to count in its database with all items. Empty for other engines.
    ///
    /// - Parameters:
    ///   - operations: The number of operations in the body.
    ///   - body: The work, which is timed.
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
                        checksum: RowChecksum(keys: [Int64(count)]).value)
                }
            }
        ]
    }
}
