import CairnModel
import CairnStore
import CairnTestSupport
import Foundation
import InMemoryLogging
import Logging
import Testing

@testable import CairnSQLite

@Suite struct `A log of SQL statements` {
    /// Runs statements on a connection with a log, and returns what it said, each entry as one line.
    private func lines(_ level: StatementLog.Level) throws -> [String] {
        let folder = try TemporaryFolder()
        let handler = InMemoryLogHandler()
        let log = StatementLog(level, logger: Logger(label: "test") { _ in handler })
        let path = folder.url.appendingPathComponent("a.sqlite").path
        let connection = try SQLiteConnection(
            path: path, mode: .create, location: .file(URL(fileURLWithPath: path)), log: log)
        defer { connection.close() }
        try connection.run("CREATE TABLE notes (text, number)")
        for number in 0..<3 {
            let insert = try connection.statement("INSERT INTO notes VALUES (?, ?)")
            try insert.bind([.text("secret"), .integer(Int64(number))])
            try insert.run()
        }
        let found = try connection.statement(
            "SELECT number FROM notes WHERE text = ? ORDER BY number")
        try found.bind([.text("secret")])
        while try found.step() {}
        return handler.entries.map { entry in
            let metadata = entry.metadata.sorted { $0.key < $1.key }.map { "\($0): \($1)" }
            return "\(entry.message) | \(metadata.joined(separator: ", "))"
        }
    }

    @Test func `has each statement and its time, without values`() throws {
        let lines = try lines(.statements)

        #expect(lines.count == 5)
        #expect(lines.count { $0.hasPrefix("INSERT INTO notes VALUES (?, ?) | ms: ") } == 3)
        #expect(!lines.contains { $0.contains("secret") || $0.contains("sorts") })
    }

    @Test func `has the work of a statement`() throws {
        let lines = try lines(.work)

        let select = try #require(lines.last)
        #expect(select.hasSuffix("scan steps: 2, sorts: 1"))
        #expect(!lines.contains { $0.contains("secret") || $0.hasPrefix("plan") })
    }

    @Test func `has values only if they are asked for`() throws {
        let lines = try lines(.values)

        #expect(lines.contains { $0.hasPrefix("INSERT INTO notes VALUES ('secret', 2)") })
        #expect(!lines.contains { $0.hasPrefix("plan") })
    }

    @Test func `has the plan of a statement once`() throws {
        let plans = try lines(.plans).filter { $0.hasPrefix("plan") }

        #expect(plans.count { $0.contains("SCAN notes; USE TEMP B-TREE FOR ORDER BY") } == 1)
    }

    @Test func `is an option from 1 to 4`() throws {
        for level in 1...4 {
            #expect(try SQLiteOptions([.sqlDebug: .integer(Int64(level))]).statementLog != nil)
        }
        #expect(try SQLiteOptions([:]).statementLog == nil)
        for value: MetadataValue in [.integer(0), .integer(5), .string("1"), .boolean(true)] {
            #expect(throws: StoreError.self) { try SQLiteOptions([.sqlDebug: value]) }
        }
    }
}
