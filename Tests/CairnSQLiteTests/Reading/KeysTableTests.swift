import CairnModel
import CairnRows
import CairnStore
import CairnTestSupport
import Testing

@testable import CairnSQLite

@Suite struct `Table of keys` {
    private let connection: SQLiteConnection
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let url = folder.file("plain.sqlite")
        connection = try SQLiteConnection(path: url.path, mode: .create, location: .file(url))
    }

    private func sum(of keys: [Int64]) throws -> (count: Int64, sum: Int64) {
        let statement = try connection.statement("SELECT count(*), total(key) FROM cairn_keys(?)")
        defer { statement.reset() }
        return try KeysTable.withKeys(keys) { (keys) throws(StoreError) in
            try KeysTable.bind(keys, to: statement, at: 1, on: connection)
            _ = try statement.step()
            return (statement.int64(at: 0), statement.int64(at: 1))
        }
    }

    @Test(arguments: [0, 1, 1000]) func `contains the keys that are bound`(_ count: Int64) throws {
        let answer = try sum(of: Array(0..<count))

        #expect(answer == (count, count * (count - 1) / 2))
    }

    @Test func `accepts only a pointer of this program as argument`() throws {
        let statement = try connection.statement("SELECT key FROM cairn_keys(?)")
        try statement.bind(7 as Int64, at: 1)

        #expect(throws: StoreError.self) { _ = try statement.step() }
    }

    @Test func `cannot be read without keys`() throws {
        #expect(throws: StoreError.self) {
            _ = try connection.statement("SELECT key FROM cairn_keys")
        }
    }

    @Test func `cannot be used by a view in a file`() throws {
        try connection.execute("CREATE VIEW v AS SELECT key FROM cairn_keys(NULL)")

        #expect(throws: StoreError.self) { _ = try connection.statement("SELECT * FROM v") }
    }

    @Test func `finds each row once, whatever the keys`() throws {
        let store = try EdgeCaseStore.make(seed: 3)
        let thing = store.entity("Thing")
        let snapshot = try store.snapshot()
        let all = try snapshot.all(FetchPlan(entity: thing)).batch.ids
        let strangers = (Int64(1_000_000)..<1_001_000).map { store.id(thing, $0) }

        let found = try snapshot.rows(for: all.reversed() + strangers + all)
        let one = try snapshot.rows(for: [all[0]])
        let none = try snapshot.rows(for: [strangers[0]])

        #expect(found.ids == all)
        #expect(Row.hasSameBytes(one[row: 0], found[row: 0]))
        #expect(none.isEmpty)
    }
}
