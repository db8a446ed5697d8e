import CairnModel
import CairnRows
import CairnStore
import CairnTestSupport
import Foundation
import Testing

@testable import CairnSQLite

@Suite struct `SQLite stores that are shared or left behind` {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let entities = [
        EntityDescription("Item", [.attribute("name", .string)])
    ]

    @Test func `contain nothing of a save whose process ended after preparing it`() throws {
        let subject = try SavingStore(Self.entities, in: folder)
        try subject.insert(try subject.row("Item", 1))
        let save = try subject.store.beginSave()
        let rows = try (2...5000).map { try subject.row("Item", $0, ["name": "unsaved"]) }
        try save.prepare(SaveRequest(inserted: RowBatch(rows)))

        // These copies are the files that a killed process would leave.
        let left = folder.file("left.sqlite")
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: subject.url.path + suffix, toPath: left.path + suffix)
        }
        save.rollback()

        var request = subject.store.request
        request.location = .file(left)
        let opened = try SavingStore(request)
        #expect(try opened.sql("SELECT count(*) FROM ZITEM") == ["1"])
        #expect(try opened.sql("PRAGMA integrity_check") == ["ok"])
    }

    @Test func `lose no save of several concurrent instances`() async throws {
        let request = OpenRequest(
            location: .file(folder.file("store.sqlite")),
            model: try ManagedObjectModel(Self.entities))
        let root = try #require(request.model.entity(named: "Item")).number

        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    let subject = try SavingStore(request)
                    for _ in 0..<25 {
                        let save = try subject.store.beginSave()
                        let keys = try save.reserveKeys([root: 2])
                        let rows = try (keys[root] ?? 0..<0).map { try subject.row("Item", $0) }
                        try save.prepare(SaveRequest(inserted: RowBatch(rows)))
                        _ = try save.commit()
                    }
                    try subject.store.close()
                }
            }
            try await group.waitForAll()
        }

        let subject = try SavingStore(request)
        #expect(try subject.sql("SELECT count(*) FROM ZITEM") == ["150"])
        #expect(try subject.sql("SELECT Z_MAX FROM Z_PRIMARYKEY") == ["150"])
    }

    @Test func `limit their journal during saves`() throws {
        let subject = try SavingStore(Self.entities, in: folder)
        let text = Value.string(String(repeating: "x", count: 4000))

        for round in 0..<60 {
            let keys = Int64(round) * 100 + 1...Int64(round) * 100 + 100
            try subject.save(
                SaveRequest(
                    inserted: RowBatch(try keys.map { try subject.row("Item", $0, ["name": text]) })
                ))
        }

        #expect(subject.store.files.journalByteCount < 8 << 20)
    }

    /// Saves about 24 MiB, in one save or in many.
    private func saveMuch(to subject: SavingStore, in saveCount: Int) throws {
        let text = Value.string(String(repeating: "x", count: 4000))
        let rowsPerSave = 6000 / saveCount
        for save in 0..<saveCount {
            let keys = (0..<rowsPerSave).map { Int64(save * rowsPerSave + $0 + 1) }
            try subject.save(
                SaveRequest(
                    inserted: RowBatch(try keys.map { try subject.row("Item", $0, ["name": text]) })
                ))
        }
    }

    @Test func `make their journal smaller after a large save`() throws {
        let subject = try SavingStore(Self.entities, in: folder)

        try saveMuch(to: subject, in: 1)

        #expect(subject.store.files.journalByteCount <= Checkpoint.keptByteCount)
    }

    @Test(.timeLimit(.minutes(1)))
    func `make their journal smaller when the reader of an old state ends`() async throws {
        let subject = try SavingStore(Self.entities, in: folder)
        try subject.insert(try subject.row("Item", 7000))
        let old = try subject.store.snapshot()
        try saveMuch(to: subject, in: 60)
        let before = subject.store.files.journalByteCount

        old.end()
        while subject.store.files.journalByteCount > Checkpoint.keptByteCount { await Task.yield() }
        try subject.store.close()

        #expect(before > Checkpoint.keptByteCount)
        #expect(try subject.sql("SELECT count(*) FROM ZITEM") == ["6001"])
        #expect(try subject.sql("PRAGMA integrity_check") == ["ok"])
    }

    /// Another program reads, so this store does not learn when its snapshots end.
    @Test func `make their journal smaller with the next save after others have read`() throws {
        let subject = try SavingStore(Self.entities, in: folder)
        try subject.insert(try subject.row("Item", 7000))
        let other = try SavingStore(subject.store.request)
        var reading = try other.store.snapshot()
        for save in 0..<60 {
            let keys = (0..<100).map { Int64(save * 100 + $0 + 1) }
            let text = Value.string(String(repeating: "x", count: 4000))
            try subject.save(
                SaveRequest(
                    inserted: RowBatch(try keys.map { try subject.row("Item", $0, ["name": text]) })
                ))
            let newest = try other.store.snapshot()
            reading.end()
            reading = newest
        }
        let before = subject.store.files.journalByteCount

        reading.end()
        for key in Int64(8000)...8002 { try subject.insert(try subject.row("Item", key)) }

        #expect(before > Checkpoint.keptByteCount)
        #expect(subject.store.files.journalByteCount <= Checkpoint.keptByteCount)
    }

    @Test func `prevent others from saving while read only with a rollback journal`() throws {
        let subject = try SavingStore(Self.entities, in: folder)
        try subject.insert(try subject.row("Item", 1))
        let writing = try subject.store.snapshot().keepsOthersFromSaving()
        var request = subject.store.request
        try subject.store.close()
        do {
            let plain = try SQLiteConnection(
                path: subject.url.path, mode: .readWrite, location: .file(subject.url))
            try plain.execute("PRAGMA journal_mode = DELETE")
        }
        request.isReadOnly = true

        let store = try SQLiteStore.open(request)
        let reading = try store.snapshot().keepsOthersFromSaving()
        try store.close()

        #expect(!writing)
        #expect(reading)
    }

    @Test func `read a journal without creating a lock or a file`() throws {
        let path =
            "corpus/duckduckgo__BrowserServicesKit/Tests/BookmarksTests/Resources/Bookmarks_V1.sqlite"
        guard Corpus.isThere else { return }
        let url = try Corpus.copy(path, into: folder.url)
        try FileManager.default.removeItem(atPath: url.path + "-shm")
        let before = try folder.contents()

        let connection = try SQLiteConnection(
            path: url.path, mode: .unlocked, location: .file(url))
        try connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        let count = try connection.statement("SELECT count(*) FROM ZBOOKMARKENTITY")
        _ = try count.step()

        #expect(count.int64(at: 0) == 10)
        #expect(try folder.contents() == before)
    }
}
