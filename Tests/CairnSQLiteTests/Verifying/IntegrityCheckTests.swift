import CairnModel
import CairnStore
import CairnTestSupport
import Foundation
import Testing

@testable import CairnSQLite

@Suite struct `Verifying a SQLite store` {
    private let folder: TemporaryFolder
    private let subject: SavingStore

    init() throws {
        folder = try TemporaryFolder()
        var item = EntityDescription("Item", [.attribute("name", .string)])
        item.fetchIndexes = [FetchIndexDescription("byName", elements: [.init("name")])]
        subject = try SavingStore([item], in: folder)
        try subject.insert(
            try subject.row("Item", 1, ["name": "alpha"]),
            try subject.row("Item", 2, ["name": "omega"]))
    }

    @Test func `finds nothing wrong with an intact one`() throws {
        #expect(try subject.store.findDisagreements() == [])
    }

    @Test func `finds a row that differs from its index entry`() throws {
        let found = try subject.sql(
            "SELECT rootpage || ' ' || name FROM sqlite_master"
                + " WHERE type = 'index' AND sql LIKE '%ZNAME%'")
        let words = try #require(found.first ?? nil).split(separator: " ").map(String.init)
        try subject.store.close()
        try changeText("omega", to: "omegb", onPage: try #require(Int(words[0])))

        let damaged = try SavingStore(subject.store.request)
        let disagreements = try damaged.store.findDisagreements()

        #expect(!disagreements.isEmpty)
        #expect(disagreements.allSatisfy { $0.location == "the SQLite file" })
        #expect(disagreements.contains { $0.detail.contains(words[1]) })
    }

    @Test func `finds a row of an entity that does not belong to its table`() throws {
        try subject.store.close()
        let connection = try SQLiteConnection(
            path: subject.url.path, mode: .readWrite, location: .file(subject.url))
        try connection.execute("UPDATE ZITEM SET Z_ENT = 99 WHERE Z_PK = 2")

        let damaged = try SavingStore(subject.store.request)

        #expect(
            try damaged.store.findDisagreements() == [
                StoreDisagreement(
                    location: "table ZITEM",
                    detail: "row 2 belongs to entity 99, which is not Item or a subentity")
            ])
    }

    @Test func `finds keys above Z_MAX, and rows without a version`() throws {
        try subject.store.close()
        let connection = try SQLiteConnection(
            path: subject.url.path, mode: .readWrite, location: .file(subject.url))
        try connection.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 1")
        try connection.execute("UPDATE ZITEM SET Z_OPT = NULL WHERE Z_PK = 2")

        let damaged = try SavingStore(subject.store.request)
        let found = try damaged.store.findDisagreements()

        #expect(
            found == [
                StoreDisagreement(
                    location: "Z_PRIMARYKEY",
                    detail:
                        "Z_MAX of Item is less than 2, which is a key in table ZITEM: Core Data would"
                        + " assign keys that are in use"),
                StoreDisagreement(
                    location: "table ZITEM", detail: "1 row has no version (Z_OPT is NULL)"),
            ])
    }

    private func changeText(_ old: String, to new: String, onPage page: Int) throws {
        var bytes = try Data(contentsOf: subject.url)
        let pageByteCount = Int(bytes[16]) << 8 | Int(bytes[17])
        let offsets = (page - 1) * pageByteCount..<page * pageByteCount
        let range = try #require(bytes.range(of: Data(old.utf8), in: offsets))
        bytes.replaceSubrange(range, with: Data(new.utf8))
        try bytes.write(to: subject.url)
    }
}
