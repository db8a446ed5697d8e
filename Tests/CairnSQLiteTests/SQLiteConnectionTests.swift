import CairnStore
import Foundation
import Testing

@testable import CairnSQLite

@Suite struct `SQLite connection` {
    @Test func `gives back what was bound`() throws {
        try withTemporaryFolder { folder in
            let connection = try SQLiteConnection(
                path: folder.appending(path: "a?b%20c.sqlite").path, mode: .create,
                location: .file(folder))
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
            #expect(FileManager.default.fileExists(atPath: folder.path + "/a?b%20c.sqlite"))
        }
    }
}
