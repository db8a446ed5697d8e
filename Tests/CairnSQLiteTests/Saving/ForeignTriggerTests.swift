import CairnModel
import CairnRows
import CairnStore
import CairnTestSupport
import Foundation
import Testing

@testable import CairnSQLite

/// Saves into a store whose file contains triggers that do not come from the model.
@Suite struct `Saves into a store with foreign triggers` {
    private let folder: TemporaryFolder
    private let request: OpenRequest

    init() throws {
        folder = try TemporaryFolder()
        request = OpenRequest(
            location: .file(folder.file("store.sqlite")),
            model: try ManagedObjectModel([EntityDescription("Hut", [.attribute("name", .string)])])
        )
    }

    /// Returns a store with two huts and the trigger.
    private func store(with trigger: String) throws -> SavingStore {
        let first = try SavingStore(request)
        let keys = try first.reserve(2, "Hut")
        try first.insert(
            try first.row("Hut", keys.lowerBound, ["name": "a"]),
            try first.row("Hut", keys.lowerBound + 1, ["name": "b"]))
        try first.store.close()
        let connection = try SQLiteConnection(
            path: first.url.path, mode: .readWrite, location: request.location)
        try connection.execute("CREATE TRIGGER stranger \(trigger)")
        return try SavingStore(request)
    }

    private func insertion(of subject: SavingStore) throws -> SaveRequest {
        let key = try subject.reserve(1, "Hut").lowerBound
        return SaveRequest(
            inserted: RowBatch([try subject.row("Hut", key, ["name": "c"])]))
    }

    @Test(arguments: [
        "cairn_fold(NEW.ZNAME, 1)", "cairn_matches('(.|.)*Q', 0, NEW.ZNAME)",
        "load_extension('x')", "writefile('x', 'y')", "readfile('/etc/hostname')",
        "(SELECT count(*) FROM cairn_keys(1))", "fts3_tokenizer('simple')",
    ])
    func `run no function that could do harm`(_ call: String) throws {
        let subject = try store(with: "AFTER INSERT ON ZHUT BEGIN SELECT \(call); END")

        let refusal = try subject.refusal(of: try insertion(of: subject))

        guard case .engineFailure? = refusal else {
            Issue.record("not refused: \(String(describing: refusal))")
            return
        }
        #expect(try subject.sql("SELECT ZNAME FROM ZHUT ORDER BY 1") == ["a", "b"])
    }

    @Test(arguments: [
        "INSERT INTO sqlite_master VALUES ('table', 'x', 'x', 0, '')", "DELETE FROM sqlite_master",
    ])
    func `do not let a schema be rewritten`(_ statement: String) throws {
        // SQLite refuses the trigger either when it is created or when it runs.
        guard
            let subject = try? store(with: "AFTER INSERT ON ZHUT BEGIN \(statement); END")
        else { return }

        let refusal = try? subject.refusal(of: try insertion(of: subject))

        #expect(refusal != nil)
    }

    @Test func `are refused if a trigger skips a row`() throws {
        let subject = try store(
            with: "BEFORE INSERT ON ZHUT WHEN NEW.ZNAME = 'c' BEGIN SELECT RAISE(IGNORE); END")

        let refusal = try subject.refusal(of: try insertion(of: subject))

        guard case .unsupported(_, let feature, _)? = refusal else {
            Issue.record("not refused: \(String(describing: refusal))")
            return
        }
        #expect(feature.contains("a trigger"))
        #expect(try subject.sql("SELECT ZNAME FROM ZHUT ORDER BY 1") == ["a", "b"])
    }

    @Test func `save nothing of a group that a trigger rolls back`() throws {
        let subject = try store(
            with:
                "AFTER INSERT ON ZHUT WHEN NEW.ZNAME = 'bad' BEGIN SELECT RAISE(ROLLBACK, ''); END")
        let keys = try subject.reserve(3, "Hut").lowerBound
        let requests = try ["good", "bad", "better"].enumerated().map { index, name in
            SaveRequest(
                inserted: RowBatch([
                    try subject.row("Hut", keys + Int64(index), ["name": .string(name)])
                ]))
        }
        let save = try subject.store.beginSave()
        defer { save.rollback() }

        _ = try save.prepareNext(requests[0])

        #expect(throws: StoreError.self) { _ = try save.prepareNext(requests[1]) }
        #expect(throws: StoreError.self) { _ = try save.prepareNext(requests[2]) }
        #expect(throws: StoreError.self) { _ = try save.commit() }
        save.rollback()
        try subject.save(requests[2])
        #expect(try subject.sql("SELECT ZNAME FROM ZHUT ORDER BY 1") == ["a", "b", "better"])
    }

    /// docs/security.md describes this case.
    @Test func `let a trigger change rows of the same file`() throws {
        let subject = try store(
            with: "AFTER INSERT ON ZHUT BEGIN UPDATE ZHUT SET ZNAME = 'x' WHERE ZNAME = 'a'; END")

        try subject.save(try insertion(of: subject))

        #expect(try subject.sql("SELECT ZNAME FROM ZHUT ORDER BY 1") == ["b", "c", "x"])
    }
}
