import CairnLMDB
import CairnModel
import CairnRows
import CairnStore
import CairnTestSupport
import Foundation
import Testing

/// A user who may read an LMDB store's file, but may not write to its folder or its lock file.
@Suite(.serialized) struct `A user who may only read an LMDB store` {
    /// The user ID of `nobody`.
    private static let user = "65534"

    @Test(arguments: [true, false])
    func `can read it with or without its lock file`(_ hasLockFile: Bool) throws {
        let fixture = try sharedFixture()
        let store = try fixture.open()
        try insert(1, "one", store, fixture)
        try store.close()
        if !hasLockFile { try FileManager.default.removeItem(atPath: fixture.file.path + "-lock") }

        guard let reader = try reader(of: fixture) else { return }

        #expect(reader.answer(to: "take") == "alone one")
        #expect(reader.answer(to: "again") == "alone one")
        #expect(
            FileManager.default.fileExists(atPath: fixture.file.path + "-lock") == hasLockFile)
    }

    @Test func `prevents others from saving only while holding a snapshot`() throws {
        let fixture = try sharedFixture()
        let store = try fixture.open(options: [.timeout: 0.05])
        try insert(1, "one", store, fixture)
        guard let reader = try reader(of: fixture) else { return }

        #expect(reader.answer(to: "take") == "alone one")
        let error = #expect(throws: StoreError.self) { _ = try store.beginSave() }
        guard case .busy? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reader.answer(to: "again") == "alone one")

        #expect(reader.answer(to: "drop") == "nothing")
        try insert(2, "two", store, fixture)
        #expect(reader.answer(to: "take") == "alone one,two")

        reader.killNow()
        try insert(3, "three", store, fixture)
    }

    @Test func `waits for a save, but no longer than the timeout`() throws {
        let fixture = try sharedFixture()
        let store = try fixture.open()
        try insert(1, "one", store, fixture)
        guard let reader = try reader(of: fixture) else { return }

        let save = try store.beginSave()
        #expect(reader.answer(to: "take")?.contains("was busy for 0.05") == true)
        save.rollback()

        #expect(reader.answer(to: "take") == "alone one")
    }

    @Test func `sees one complete state in each snapshot, whatever is saved`() throws {
        let fixture = try sharedFixture()
        let store = try fixture.open()
        let rows = try (Int64(1)...40).map { try row($0, "-0", store, fixture) }
        try fixture.insert(store, rows)
        guard let reader = try reader(of: fixture) else { return }

        for version in Int64(1)...10 {
            let label = String(repeating: "x", count: 400) + "-\(version)"
            try fixture.save(
                store,
                SaveRequest(
                    updated: try (Int64(1)...40).map {
                        try fixture.update(
                            store, "Tag", $0, from: version, ["label": .string(label)])
                    }))
            for question in ["take", "again"] {
                let labels = Array(repeating: label, count: 40).joined(separator: ",")
                #expect(reader.answer(to: question) == "alone \(labels)")
            }
            #expect(reader.answer(to: "drop") == "nothing")
        }
    }

    // MARK: Parts

    /// Returns a store whose file everybody may read.
    private func sharedFixture() throws -> LMDBFixture {
        let fixture = try LMDBFixture()
        try fixture.open().close()
        #expect(chmod(fixture.file.path, 0o644) == 0)
        return fixture
    }

    /// Returns a process that runs as another user, or prints a message and returns `nil` if the tests may
    /// not change the user.
    private func reader(of fixture: LMDBFixture) throws -> WorkerProcess? {
        let reader = try WorkerProcess("library", "read", fixture.file.path, Self.user)
        let line = reader.line()
        if line?.hasPrefix("not run") == true {
            print("LMDB, a user who may only read: \(line ?? "")")
            return nil
        }
        #expect(line == "open")
        return reader
    }

    private func row(
        _ key: Int64, _ label: String, _ store: LMDBStore, _ fixture: LMDBFixture
    ) throws -> Row {
        try fixture.row(store, "Tag", key, ["label": .string(label)])
    }

    private func insert(
        _ key: Int64, _ label: String, _ store: LMDBStore, _ fixture: LMDBFixture
    ) throws {
        try fixture.insert(store, [row(key, label, store, fixture)])
    }
}
