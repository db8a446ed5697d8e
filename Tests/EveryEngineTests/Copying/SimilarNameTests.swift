import Cairn
import CairnStore
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

@testable import CairnStoreCopying

/// SQLite stores in one folder whose names differ only in their extensions. Core Data keeps their large
/// values in the same folder, and so did earlier versions of Cairn.
@Suite struct `Stores whose names differ only in the extension` {
    private let stack: FileStack

    init() throws { stack = try FileStack(.sqlite) }

    /// How two such stores came to be beside each other.
    enum Arrangement: CaseIterable {
        /// Both were created by this version of Cairn.
        case created
        /// Both have their files in the folder with Core Data's name.
        case mingled
    }

    /// Creates `Notes.sqlite` with the picture “dawn”, and `Notes.db` with “evening”.
    private func pair(_ arrangement: Arrangement) throws -> (first: URL, second: URL) {
        let (first, second) = (stack.url("Notes.sqlite"), stack.url("Notes.db"))
        try add("dawn", to: first)
        guard arrangement == .mingled else {
            try add("evening", to: second)
            return (first, second)
        }
        let elsewhere = try FileStack(.sqlite)
        let made = elsewhere.url("Notes.db")
        try add("evening", to: made)
        try FileManager.default.copyItem(at: made, to: second)
        let folder = ".Notes_SUPPORT/_EXTERNAL_DATA"
        for name in try FileManager.default.contentsOfDirectory(
            atPath: elsewhere.url(folder).path)
        {
            try FileManager.default.copyItem(
                at: elsewhere.url("\(folder)/\(name)"), to: stack.url("\(folder)/\(name)"))
        }
        return (first, second)
    }

    /// Saves a picture, and closes the store.
    private func add(_ title: String, to url: URL) throws {
        try change(url) { context in
            let picture = try context.insertNewObject(forEntityName: "Picture")
            try picture.setValue(title, forKey: "title")
            try picture.setValue(FileStack.pixels(title), forKey: "pixels")
        }
    }

    private func deleteAll(of url: URL) throws {
        try change(url) { context in
            for picture in try context.fetch(FetchRequest("Picture")) {
                try context.delete(picture)
            }
        }
    }

    private func change(_ url: URL, _ body: @Sendable (ManagedObjectContext) throws -> Void) throws
    {
        let coordinator = stack.coordinator()
        let store = try coordinator.addPersistentStore(ofType: .sqlite, at: url)
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            try body(context)
            try context.save()
        }
        try coordinator.remove(store)
    }

    /// Returns the paths of the files with large values, relative to the folder.
    private func externalFiles() throws -> [String] {
        try stack.files().filter { UUID(uuidString: ($0 as NSString).lastPathComponent) != nil }
    }

    // MARK: Where files are

    @Test func `keep their new files apart, and one that is alone uses Core Data's folder`() throws
    {
        let (first, second) = try pair(.created)

        let files = try externalFiles()

        #expect(files.count == 2)
        #expect(files.count { $0.hasPrefix(".Notes_SUPPORT/_EXTERNAL_DATA/") } == 1)
        #expect(try stack.titles(first) == ["dawn"])
        #expect(try stack.titles(second) == ["evening"])
    }

    @Test func `are only other SQLite stores, not other files or links`() throws {
        try Data("a letter".utf8).write(to: stack.url("Notes.txt"))
        try FileManager.default.createSymbolicLink(
            at: stack.url("Notes.link"), withDestinationURL: stack.url("Notes.sqlite"))

        try add("dawn", to: stack.url("Notes.sqlite"))

        #expect(try externalFiles().allSatisfy { $0.hasPrefix(".Notes_SUPPORT/") })
    }

    // MARK: Changing one of them

    @Test(arguments: Arrangement.allCases)
    func `keep their values when the other is destroyed`(_ arrangement: Arrangement) throws {
        let (first, second) = try pair(arrangement)

        try stack.coordinator().destroyPersistentStore(at: first, ofType: .sqlite)

        #expect(try stack.titles(second) == ["evening"])
        #expect(try externalFiles().count == 1)
        try stack.coordinator().destroyPersistentStore(at: second, ofType: .sqlite)
        #expect(try stack.files() == [])
    }

    @Test func `keep their values when the other is damaged and destroyed`() throws {
        let (first, second) = try pair(.mingled)
        var bytes = try Data(contentsOf: first)
        bytes.replaceSubrange(40..<bytes.count, with: Data(repeating: 7, count: bytes.count - 40))
        try bytes.write(to: first)

        try stack.coordinator().destroyPersistentStore(at: first, ofType: .sqlite)

        #expect(try stack.titles(second) == ["evening"])
    }

    @Test func `keep their values when they are created while the other is destroyed`() throws {
        let (first, second) = (stack.url("Notes.sqlite"), stack.url("Notes.db"))
        try add("dawn", to: first)
        let files = StoreFileSet(SQLiteStore.self, at: first)

        // The steps of destroying the first store, and another process between them.
        let companions = files.companions()
        try FileManager.default.removeItem(at: first)
        try add("evening", to: second)
        try StoreFileSet.removeCompanions(companions)

        #expect(try stack.titles(second) == ["evening"])
        #expect(try externalFiles().count == 1)
    }

    @Test(arguments: Arrangement.allCases)
    func `keep their values when the other is moved away or gets a similar name`(
        _ arrangement: Arrangement
    ) throws {
        let (first, second) = try pair(arrangement)
        let elsewhere = try FileStack(.sqlite)

        try stack.coordinator().movePersistentStore(
            at: first, to: stack.url("Notes.old"), ofType: .sqlite)
        let similar = try stack.titles(stack.url("Notes.old"))
        try stack.coordinator().movePersistentStore(
            at: stack.url("Notes.old"), to: elsewhere.url("Notes.sqlite"), ofType: .sqlite)

        #expect(similar == ["dawn"])
        #expect(try stack.titles(second) == ["evening"])
        #expect(try elsewhere.titles(elsewhere.url("Notes.sqlite")) == ["dawn"])
        #expect(try externalFiles().count == 1)
    }

    @Test func `may be the old and the new name of one store`() throws {
        try add("dawn", to: stack.url("Notes.sqlite"))

        try stack.coordinator().movePersistentStore(
            at: stack.url("Notes.sqlite"), to: stack.url("Notes.db"), ofType: .sqlite)

        #expect(try stack.titles(stack.url("Notes.db")) == ["dawn"])
        #expect(try externalFiles().allSatisfy { $0.hasPrefix(".Notes_SUPPORT/") })
    }

    @Test(arguments: Arrangement.allCases)
    func `keep their values when the other is replaced`(_ arrangement: Arrangement) throws {
        let (first, second) = try pair(arrangement)
        let source = try stack.make("midnight", at: "source")

        try stack.coordinator().replacePersistentStore(
            at: first, withPersistentStoreFrom: source, type: .sqlite)

        #expect(try stack.titles(first) == ["midnight"])
        #expect(try stack.titles(second) == ["evening"])
    }

    @Test(arguments: Arrangement.allCases, [false, true])
    func `keep their values when the other is migrated`(
        _ arrangement: Arrangement, byCopying: Bool
    ) throws {
        let (first, second) = try pair(arrangement)
        let model = try ManagedObjectModel([
            EntityDescription(
                "Picture", [.attribute("title", .string), .attribute("note", .string)])
        ])
        var migration = try StoreMigration(
            SQLiteStore.self, ofType: .sqlite,
            as: OpenRequest(location: .file(first), model: model))
        migration.allowsInPlace = !byCopying

        _ = try migration.run { _ in .proceed }

        #expect(try stack.titles(second) == ["evening"])
        #expect(try externalFiles().count == 1)
    }

    // MARK: Copies and backups

    @Test(arguments: ["migration", "replacement", "copy", "copy by another program"])
    func `share no files if one is a backup of the other`(_ way: String) throws {
        let (store, backup) = (stack.url("Notes.sqlite"), stack.url("Notes.bak"))
        try add("dawn", to: store)
        let coordinator = stack.coordinator()
        switch way {
        case "migration":
            let version = try ManagedObjectModel([
                EntityDescription("Picture", [.attribute("title", .string)])
            ])
            try MigrationManager(destinationModel: version).migrateStore(
                at: store, ofType: .sqlite, keepingBackupAt: backup)
        case "replacement":
            try coordinator.replacePersistentStore(
                at: backup, withPersistentStoreFrom: store, type: .sqlite)
        case "copy":
            let source = try coordinator.addPersistentStore(ofType: .sqlite, at: store)
            try StoreCopier(to: SQLiteStore.self).copy(source, to: backup)
            try coordinator.remove(source)
        default: try FileManager.default.copyItem(at: store, to: backup)
        }

        if way != "migration" { try deleteAll(of: store) }
        let kept = try stack.titles(backup)
        let fileCount = try externalFiles().count
        try stack.coordinator().replacePersistentStore(
            at: store, withPersistentStoreFrom: backup, type: .sqlite)
        try stack.coordinator().destroyPersistentStore(at: backup, ofType: .sqlite)

        #expect(kept == ["dawn"])
        #expect(fileCount == 1)
        #expect(try stack.titles(store) == ["dawn"])
    }

    @Test(arguments: ["Notes.copy-2", "Notes.saving-2", "Notes.bak-wal"])
    func `share files with a copy by another program that has the name of a companion`(
        _ name: String
    ) throws {
        let (store, copy) = (stack.url("Notes.sqlite"), stack.url(name))
        try add("dawn", to: store)
        try? FileManager.default.removeItem(at: copy)
        try FileManager.default.copyItem(at: store, to: copy)

        try deleteAll(of: store)
        let fileCount = try externalFiles().count
        try FileManager.default.moveItem(at: copy, to: stack.url("Notes.bak"))
        try stack.coordinator().destroyPersistentStore(at: store, ofType: .sqlite)

        #expect(fileCount == 1)
        #expect(try stack.titles(stack.url("Notes.bak")) == ["dawn"])
    }

    @Test
    func `may be the old and the new name of a store that is reached through a linked folder`()
        throws
    {
        try add("dawn", to: stack.url("Notes.sqlite"))
        let elsewhere = try FileStack(.sqlite)
        let alias = elsewhere.url("alias")
        try FileManager.default.createSymbolicLink(
            at: alias, withDestinationURL: stack.folder.url)

        try stack.coordinator().movePersistentStore(
            at: alias.appending(path: "Notes.sqlite"), to: alias.appending(path: "Notes.db"),
            ofType: .sqlite)

        #expect(try stack.titles(stack.url("Notes.db")) == ["dawn"])
        #expect(try externalFiles().allSatisfy { $0.hasPrefix(".Notes_SUPPORT/") })
    }
}
