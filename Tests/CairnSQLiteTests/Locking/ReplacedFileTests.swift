import CairnModel
import CairnRows
import CairnStore
import CairnTestSupport
import Foundation
import Testing

@testable import CairnSQLite

/// The handling of a SQLite store's log, which is found by its name, after the store's file is replaced.
@Suite struct `The log of a SQLite store whose file is replaced` {
    private let folder: TemporaryFolder
    private let subject: SavingStore

    init() throws {
        folder = try TemporaryFolder()
        subject = try SavingStore(Self.entities, in: folder)
        try subject.insert(try subject.row("Item", 1, ["name": "acknowledged"]))
    }

    private static let entities = [EntityDescription("Item", [.attribute("name", .string)])]

    private var log: String { subject.url.path + "-wal" }

    private func byteCount(_ path: String) -> Int? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int
    }

    /// Replaces the store's file with that of another store, which has two rows. Returns the new content.
    private func replace() throws -> Data {
        let other = folder.file("other.sqlite")
        let store = try SavingStore(
            OpenRequest(location: .file(other), model: subject.model))
        try store.insert(try store.row("Item", 7), try store.row("Item", 8))
        try store.store.close()
        #expect(rename(other.path, subject.url.path) == 0)
        return try Data(contentsOf: subject.url)
    }

    private func names(_ error: StoreError?, _ path: String) -> Bool {
        switch error {
        case .fileReplaced(_, path)?, .fileRemoved(_, path)?: true
        default: false
        }
    }

    @Test func `is emptied by the save that notices the replacement`() throws {
        let bytes = try replace()
        #expect(byteCount(log) ?? 0 > 0)

        let error = #expect(throws: StoreError.self) {
            try subject.insert(try subject.row("Item", 2))
        }

        #expect(names(error, subject.url.path))
        #expect(byteCount(log) == 0)
        #expect(try subject.sql("SELECT Z_PK FROM ZITEM") == ["7", "8"])
        #expect(try Data(contentsOf: subject.url) == bytes)
    }

    @Test func `is emptied by the first save of a store that was only read`() throws {
        let reader = try SavingStore(subject.store.request)
        let bytes = try replace()

        let error = #expect(throws: StoreError.self) {
            try reader.insert(try reader.row("Item", 2))
        }

        #expect(names(error, subject.url.path))
        #expect(byteCount(log) == 0)
        #expect(try Data(contentsOf: subject.url) == bytes)
        #expect(throws: Never.self) { try reader.store.close() }
    }

    @Test(arguments: ["-wal", "-shm"])
    func `is reported as missing by the first save of a store that was only read`(_ suffix: String)
        throws
    {
        let reader = try SavingStore(subject.store.request)
        #expect(unlink(subject.url.path + suffix) == 0)

        let error = #expect(throws: StoreError.self) {
            try reader.insert(try reader.row("Item", 2))
        }
        try reader.store.close()
        try subject.store.close()
        let opened = try SavingStore(subject.store.request)

        #expect(names(error, subject.url.path + suffix))
        #expect(try opened.sql("SELECT ZNAME FROM ZITEM") == ["acknowledged"])
    }

    @Test func `is not mistaken for the new file's before anybody notices`() throws {
        let bytes = try replace()

        let reading = #expect(throws: StoreError.self) {
            try SQLiteStore.metadata(at: .file(subject.url))
        }
        let opening = #expect(throws: StoreError.self) { try SavingStore(subject.store.request) }
        let moving = #expect(throws: StoreError.self) {
            try SQLiteStore.withExclusiveUse(of: .file(subject.url)) {}
        }

        for error in [reading, opening, moving] {
            guard case .unsupported(_, let feature, let advice)? = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(feature.contains("written for another file"))
            #expect(advice.contains(log))
        }
        #expect(try Data(contentsOf: subject.url) == bytes)
        try subject.store.close()
        #expect(try SQLiteStore.entityCounts(at: .file(subject.url)) == ["Item": 2])
        #expect(try Data(contentsOf: subject.url) == bytes)
    }

    @Test func `is emptied by closing a store that noticed nothing`() throws {
        let bytes = try replace()

        try subject.store.close()

        #expect(byteCount(log) ?? 0 == 0)
        #expect(try Data(contentsOf: subject.url) == bytes)
    }

    @Test func `is not considered replaced in a copy of the folder`() throws {
        let copy = try TemporaryFolder()
        for suffix in ["", "-wal", "-lock"] {
            try FileManager.default.copyItem(
                atPath: subject.url.path + suffix,
                toPath: copy.file("store.sqlite").path + suffix)
        }
        var request = subject.store.request
        request.location = .file(copy.file("store.sqlite"))

        let opened = try SavingStore(request)

        #expect(try opened.sql("SELECT ZNAME FROM ZITEM") == ["acknowledged"])
    }

    @Test(arguments: ["-wal", "-shm"])
    func `is reported as missing when it is removed, and its contents are not lost`(
        _ suffix: String
    ) throws {
        #expect(unlink(subject.url.path + suffix) == 0)

        let error = #expect(throws: StoreError.self) {
            try subject.insert(try subject.row("Item", 2))
        }
        try subject.store.close()
        let opened = try SavingStore(subject.store.request)

        #expect(names(error, subject.url.path + suffix))
        #expect(try opened.sql("SELECT ZNAME FROM ZITEM") == ["acknowledged"])
    }

    @Test func `is not read into a new store if the file was removed`() throws {
        let left = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: log, toPath: left.file("store.sqlite-wal").path)
        var request = subject.store.request
        request.location = .file(left.file("store.sqlite"))

        let error = #expect(throws: StoreError.self) { try SavingStore(request) }

        guard case .unsupported(_, let feature, _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(feature.contains("but no file"))
        #expect(!FileManager.default.fileExists(atPath: left.file("store.sqlite").path))
    }

    @Test func `is emptied if the file is replaced between prepare and commit`() throws {
        let save = try subject.store.beginSave()
        try save.prepare(
            SaveRequest(inserted: RowBatch([try subject.row("Item", 2)])))
        let bytes = try replace()

        let error = #expect(throws: StoreError.self) { _ = try save.commit() }

        #expect(names(error, subject.url.path))
        #expect(try Data(contentsOf: subject.url) == bytes)
        #expect(byteCount(log) == 0)
    }

    @Test func `is not read by new snapshots, but old ones keep working`() throws {
        let before = try subject.store.snapshot()
        let bytes = try replace()

        let found = try before.count(FetchPlan(entity: try subject.entity("Item")))
        // A second simultaneous snapshot needs a new connection.
        let error = #expect(throws: StoreError.self) { _ = try subject.store.snapshot() }

        #expect(found == 1)
        #expect(names(error, subject.url.path))
        #expect(try Data(contentsOf: subject.url) == bytes)
    }
}

@Suite struct `A SQLite store with two names` {
    private let folder: TemporaryFolder
    private let subject: SavingStore
    private let alias: String

    init() throws {
        folder = try TemporaryFolder()
        subject = try SavingStore([EntityDescription("Item")], in: folder)
        alias = folder.file("alias.sqlite").path
    }

    @Test func `is opened for reading, but not for writing`() throws {
        try subject.insert(try subject.row("Item", 1))
        try subject.store.close()
        #expect(link(subject.url.path, alias) == 0)
        var reading = subject.store.request
        reading.isReadOnly = true

        let error = #expect(throws: StoreError.self) { try SavingStore(subject.store.request) }
        let opened = try SavingStore(reading)
        let count = try opened.store.snapshot().count(
            FetchPlan(entity: try subject.entity("Item")))

        guard case .hardLinked(_, linkCount: 2)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(count == 1)
    }

    @Test func `is not saved to until the other name is removed`() throws {
        #expect(link(subject.url.path, alias) == 0)

        let error = #expect(throws: StoreError.self) {
            try subject.insert(try subject.row("Item", 1))
        }
        #expect(unlink(alias) == 0)
        try subject.insert(try subject.row("Item", 1))

        guard case .hardLinked? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try subject.sql("SELECT Z_PK FROM ZITEM") == ["1"])
    }

    @Test func `is opened if the other name was left by a killed process`() throws {
        try subject.store.close()
        let leftover = subject.url.path + ".cairn-new-" + UUID().uuidString
        // The state between linking and unlinking while the file is published.
        #expect(link(subject.url.path, leftover) == 0)

        let opened = try SavingStore(subject.store.request)
        try opened.insert(try opened.row("Item", 1))

        #expect(access(leftover, F_OK) != 0)
    }
}

@Suite struct `Read-only commands on SQLite stores` {
    private let folder: TemporaryFolder
    private let subject: SavingStore

    init() throws {
        folder = try TemporaryFolder()
        subject = try SavingStore([EntityDescription("Item")], in: folder)
        try subject.insert(try subject.row("Item", 1))
    }

    private func isThere(_ suffix: String) -> Bool {
        access(subject.url.path + suffix, F_OK) == 0
    }

    /// Runs the read-only operations of the commands. Returns the number of items.
    private func look() throws -> Int? {
        _ = try SQLiteStore.metadata(at: .file(subject.url))
        var request = subject.store.request
        request.isReadOnly = true
        let store = try SQLiteStore.open(request)
        _ = try store.snapshot().count(FetchPlan(entity: try subject.entity("Item")))
        try store.close()
        return try SQLiteStore.entityCounts(at: .file(subject.url))["Item"]
    }

    @Test func `remove the empty log that a killed command left`() throws {
        try subject.store.close()
        // A read-only connection creates both files and cannot remove them, whether it is closed or killed.
        _ = try subject.sql("SELECT 1 FROM sqlite_master LIMIT 1")
        #expect(isThere("-wal") && isThere("-shm"))

        let count = try look()

        #expect(count == 1)
        #expect(!isThere("-wal") && !isThere("-shm"))
    }

    @Test func `leave the log of a killed writer, and read all of it`() throws {
        let killed = folder.file("killed.sqlite")
        // These copies are the files that a killed process would leave.
        for suffix in ["", "-wal", "-lock"] {
            try FileManager.default.copyItem(
                atPath: subject.url.path + suffix, toPath: killed.path + suffix)
        }
        try subject.store.close()
        let log = try Data(contentsOf: URL(fileURLWithPath: killed.path + "-wal"))

        for _ in 0..<2 {
            #expect(try SQLiteStore.entityCounts(at: .file(killed)) == ["Item": 1])
        }

        #expect(!log.isEmpty)
        #expect(try Data(contentsOf: URL(fileURLWithPath: killed.path + "-wal")) == log)
    }

    @Test func `leave the empty log of a store that is open elsewhere`() throws {
        try subject.store.close()
        let opened = try SavingStore(subject.store.request)
        #expect(isThere("-wal"))

        _ = try look()
        try opened.insert(try opened.row("Item", 2))

        #expect(isThere("-wal"))
        #expect(try opened.sql("SELECT Z_PK FROM ZITEM") == ["1", "2"])
    }
}
