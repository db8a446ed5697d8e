import CairnModel
import CairnStore
import CairnTestSupport
import Foundation
import MigrationSupport
import Testing

@testable import CairnSQLite

@Suite struct `Migration in place, interrupted` {
    private static let new = LibraryModel.changed(
        LibraryModel.entities, .add(EntityDescription("Aardvark")), .rename("Book", to: "Volume"),
        .remove("title", of: "Volume"))

    /// Copies the store's files in their current state, which is what a killed process leaves.
    private func left(by subject: MigrationSubject, _ name: String) throws -> URL {
        let copy = subject.folder.file(name)
        for suffix in ["", "-wal", "-journal"] {
            let file = subject.url.path + suffix
            guard FileManager.default.fileExists(atPath: file) else { continue }
            try FileManager.default.copyItem(atPath: file, toPath: copy.path + suffix)
        }
        return copy
    }

    private func objects(_ file: URL, _ model: ManagedObjectModel) throws -> StoreImage {
        let store = try SQLiteStore.open(
            OpenRequest(location: .file(file), model: model, createsMissing: false))
        defer { try? store.close() }
        return try StoreImage(store)
    }

    @Test(arguments: ["WAL", "DELETE"])
    func `leaves the old store before the commit`(_ journal: String) throws {
        let subject = try MigrationSubject(LibraryModel.entities, Self.new)
        try subject.run("PRAGMA journal_mode = \(journal)")
        var copy: URL?

        _ = try SQLiteExclusiveUse(files: SQLiteFiles(.file(subject.url))).runTransaction {
            (connection) throws(StoreError) -> Bool? in
            // Makes SQLite write pages to the file before the commit, as it does in a large store.
            try connection.execute("PRAGMA cache_size = 1")
            _ = try InPlaceMigration.run(
                subject.request(subject.changes.new), subject.changes, defersCleanup: false,
                on: connection
            ) { _, _ in true }
            copy = try? left(by: subject, "killed.sqlite")
            return nil
        }

        let killed = try objects(try #require(copy), subject.changes.old)
        let rolledBack = try objects(subject.url, subject.changes.old)
        #expect(killed == subject.before)
        #expect(rolledBack == subject.before)
    }

    @Test func `leaves the new store after the commit`() throws {
        let subject = try MigrationSubject(LibraryModel.entities, Self.new)
        var copy: URL?

        _ = try SQLiteExclusiveUse(files: SQLiteFiles(.file(subject.url))).runTransaction {
            (connection) throws(StoreError) -> Bool? in
            _ = try InPlaceMigration.run(
                subject.request(subject.changes.new), subject.changes, defersCleanup: false,
                on: connection
            ) { _, _ in true }
            try connection.execute("COMMIT")
            copy = try? left(by: subject, "killed.sqlite")
            try connection.execute("BEGIN")
            return true
        }

        let killed = try objects(try #require(copy), subject.changes.new)
        let oracle = MigrationOracle(from: subject.changes.old, to: subject.changes.new)
        let expected = oracle.migrated(subject.before)
        #expect(oracle.comparable(killed).differences(from: expected) == [])
        #expect(try objects(subject.url, subject.changes.new) == killed)
    }

    @Test func `removes the files of values that were removed`() throws {
        var scan = AttributeDescription("scan", .binary)
        scan.allowsExternalBinaryDataStorage = true
        let old = LibraryModel.changed(
            LibraryModel.entities, .add(.attribute(scan), to: "Book"),
            .add(.attribute(scan), to: "Tag"))
        let subject = try MigrationSubject(
            old, LibraryModel.changed(old, .remove("scan", of: "Tag"), .remove("Comic")))
        let store = try SavingStore(subject.request(subject.changes.old))
        let large = Value.binary(Data(repeating: 7, count: 200_000))
        try store.insert(
            store.row("Book", 51, ["scan": large]), store.row("Comic", 52, ["scan": large]),
            store.row("Tag", 53, ["scan": large]))
        try store.store.close()
        let folder = ExternalDataFolder(besideFileAt: subject.url.path).url.path
        let before = try FileManager.default.contentsOfDirectory(atPath: folder)

        let isMigrated = try subject.migrate()

        let after = try FileManager.default.contentsOfDirectory(atPath: folder)
        let reader = try SavingStore(subject.request(subject.changes.new))
        let named = try reader.sql(
            "SELECT CAST(substr(ZSCAN, 2, 36) AS TEXT) FROM ZBOOK"
                + " WHERE substr(ZSCAN, 1, 1) = x'02' ORDER BY 1")
        try reader.store.close()
        #expect(isMigrated)
        #expect(named.count >= 1)
        #expect(before.count >= named.count + 2)
        #expect(after.sorted() == named.compactMap(\.self))
    }

    @Test func `migrates the entities of a configuration`() throws {
        func model(_ entities: [EntityDescription], _ tag: String) throws -> ManagedObjectModel {
            var description = ModelDescription(entities)
            description.configurations = ["paper": ["Shelf", tag], "rest": ["Pen"]]
            return try ManagedObjectModel(description)
        }
        let old = [
            EntityDescription("Pen"),
            EntityDescription("Shelf", [.toMany("tags", "Tag", inverse: "shelves")]),
            EntityDescription(
                "Tag", [.attribute("word", .string), .toMany("shelves", "Shelf", inverse: "tags")]),
        ]
        let subject = try MigrationSubject(
            try model(old, "Tag"),
            try model(
                LibraryModel.changed(
                    old, .add(EntityDescription("Paper")), .rename("Tag", to: "Label")), "Label"),
            configuration: "paper")

        try subject.migrateAndCheck(ignoresJoinNames: true)
    }
}
