import CairnModel
import CairnTestSupport
import Foundation
import Testing

@testable import CairnSQLite

@Suite struct `Exclusive use of a SQLite store` {
    private func makeStore(_ folder: TemporaryFolder) throws -> URL {
        let subject = try SavingStore(LibraryModel.entities, in: folder)
        try subject.store.close()
        return subject.url
    }

    /// Returns what another process reports after trying to lock the file as SQLite does.
    private func look(at file: URL) throws -> String? {
        try WorkerProcess("sqlite-lock", file.path).line()
    }

    #if os(Linux)
    @Test func `locks out SQLite in other processes even after the body read the file`() throws {
        let folder = try TemporaryFolder()
        let file = try makeStore(folder)
        let before = try look(at: file)

        var during: [String?] = []
        try SQLiteExclusiveUse(files: SQLiteFiles(.file(file))).run {
            during.append(try? look(at: file))
            // Copying a file reads it like this, and closing its descriptor releases the process's locks.
            _ = try? Data(contentsOf: file)
            during.append(try? look(at: file))
        }

        let after = try look(at: file)
        #expect(before == "free")
        #expect(during == ["locked", "locked"])
        #expect(after == "free")
    }
    #endif

    @Test func `in a transaction locks out SQLite in other processes`() throws {
        let folder = try TemporaryFolder()
        let file = try makeStore(folder)

        let during = try SQLiteExclusiveUse(files: SQLiteFiles(.file(file))).runTransaction { _ in
            try? look(at: file)
        }

        let after = try look(at: file)
        #expect(during == "locked")
        #expect(after == "free")
    }
}
