import CairnModel
import CairnStore
import CairnTestSupport
import Foundation
import Testing

@testable import CairnSQLite

@Suite struct `Named saves of a SQLite store` {
    private let folder: TemporaryFolder
    private let saving: SavingStore

    init() throws {
        folder = try TemporaryFolder()
        saving = try SavingStore(
            [EntityDescription("Book", [.attribute("title", .string)])], in: folder)
    }

    private func save(_ id: SaveID? = nil) throws {
        var request = SaveRequest()
        request.id = id
        try saving.save(request)
    }

    private func tables() throws -> [String?] {
        try saving.sql("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    }

    @Test func `have a table of their own, which other saves do not create`() throws {
        let before = try tables()
        let id = SaveID()

        try saving.insert(saving.row("Book", 1))
        #expect(try saving.store.outcome(of: id) == .notSaved)
        #expect(try tables() == before)
        try save(id)

        #expect(try tables() == ["CAIRN_SAVES"] + before)
        #expect(try saving.sql("SELECT hex(ID) FROM CAIRN_SAVES") == [hex(id)])
    }

    @Test func `are forgotten in batches, so that the table stays small`() throws {
        let ids = (0..<1250).map { _ in SaveID() }
        for id in ids { try save(id) }

        let counts = try saving.sql(
            "SELECT count(*) || ' ' || min(NUMBER) FROM CAIRN_SAVES WHERE NUMBER > 0")
        #expect(counts == ["1050 201"])
        #expect(
            try saving.sql("SELECT hex(ID) FROM CAIRN_SAVES WHERE NUMBER = 0")
                == [hex(try #require(ids.prefix(200).max()))])
        #expect(try saving.store.outcome(of: ids[200]) == .saved)
        #expect(try saving.store.outcome(of: ids[199]) == .forgotten)
        #expect(try saving.store.outcome(of: SaveID()) == .notSaved)
    }

    /// The answer is itself committed, so that it overwrites anything that a failed commit left in the log.
    @Test func `have an outcome that can be queried after a commit`() throws {
        let id = SaveID()
        try save(id)
        for asked in [id, SaveID()] {
            let before = try saving.store.newestGeneration()

            _ = try saving.store.outcome(of: asked)

            #expect(try saving.store.newestGeneration() > before)
        }
        #expect(try saving.sql("PRAGMA user_version") == ["0"])
    }

    @Test func `cannot be queried in a file that was moved`() throws {
        let id = SaveID()
        try save(id)
        try FileManager.default.moveItem(at: saving.url, to: folder.file("elsewhere.sqlite"))

        let error = try #require(throws: StoreError.self) {
            try saving.store.outcome(of: id)
        }

        guard case .fileRemoved = error else {
            Issue.record("\(error)")
            return
        }
    }

    @Test(arguments: [
        "UPDATE CAIRN_SAVES SET NUMBER = 9223372036854775807",
        "INSERT INTO CAIRN_SAVES (NUMBER, ID) VALUES (-5, x'00'); DELETE FROM CAIRN_SAVES WHERE NUMBER > 0",
        "INSERT INTO CAIRN_SAVES (NUMBER, ID) VALUES (0, x'0102')",
    ])
    func `are reported as corrupt in a damaged table`(_ damage: String) throws {
        try save(SaveID())
        let connection = try SQLiteConnection(
            path: saving.url.path, mode: .readWrite, location: .file(saving.url))
        try connection.execute(damage)

        let errors = [{ try save(SaveID()) }, { _ = try saving.store.outcome(of: SaveID()) }]
            .compactMap { call -> String? in
                do {
                    try call()
                    return nil
                } catch StoreError.corrupt(_, let location, _) {
                    return location
                } catch {
                    return "\(error)"
                }
            }

        #expect(!errors.isEmpty)
        #expect(errors.allSatisfy { $0.hasPrefix("table") && $0.contains("CAIRN_SAVES") })
    }

    private func hex(_ id: SaveID) -> String { "\(id)".replacing("-", with: "") }
}
