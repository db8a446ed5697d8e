import CairnSQL
import CairnTestSupport
import Foundation
import Testing

@testable import CairnSQLite

@Suite struct `SQLite connection` {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `returns bound values unchanged`() throws {
        let file = folder.file("a?b%20c#.sqlite")
        let connection = try SQLiteConnection(
            path: file.path, mode: .create, location: .file(file))
        try connection.execute("CREATE TABLE t (a, b, c, d)")
        let insert = try connection.statement("INSERT INTO t VALUES (?, ?, ?, ?)")
        try insert.bind(Int64.min, at: 1)
        try insert.bind("a\0b", at: 2)
        try insert.bind(Data(), at: 3)
        try insert.run()

        let select = try connection.statement("SELECT a, b, c, d FROM t")
        let hasRow = try select.step()

        #expect(hasRow)
        #expect(select.int64(at: 0) == .min)
        #expect(select.text(at: 1) == "a\0b")
        #expect(select.type(at: 2) == .blob)
        #expect(select.isNull(at: 3))
        #expect(FileManager.default.fileExists(atPath: file.path))
    }

    @Test func `prepares a second statement while the first is running`() throws {
        let connection = try SQLiteConnection(
            path: folder.file("a").path, mode: .create, location: .file(folder.file("a")))
        let sql = "SELECT 1 UNION ALL SELECT 2"
        let first = try connection.statement(sql)
        _ = try first.step()

        let second = try connection.statement(sql)
        _ = try second.step()
        _ = try first.step()

        #expect(first !== second)
        #expect(first.int64(at: 0) == 2)
        #expect(second.int64(at: 0) == 1)
    }

    @Test func `quotes a name that would end the statement`() throws {
        let connection = try SQLiteConnection(
            path: folder.file("a").path, mode: .create, location: .file(folder.file("a")))
        let name = SQLName("Z\"; DROP TABLE t; --")

        try connection.execute("CREATE TABLE t (a); CREATE TABLE \(name) (\(name))")

        let catalog = try SchemaCatalog(reading: connection)
        #expect(catalog.hasColumn(name, in: name))
        #expect(catalog.hasTable(SQLName("t")))
    }
}
