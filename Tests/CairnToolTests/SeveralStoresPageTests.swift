import Cairn
import CairnProcesses
import CairnTestSupport
import Foundation
import Testing

/// Compares the listings that show several stores with code that these tests run.
@Suite struct `Pages on several stores` {
    private static func functions(of page: String) throws -> [String] {
        let source = try Repository.text("Tests/CairnToolTests/SeveralStoresWalk.swift")
        let blocks = try PageBlock.all(of: page).filter {
            $0.title == "swift" && $0.text.hasPrefix("func ")
        }
        for block in blocks { #expect(source.contains(block.text), "\(block.lines[0])") }
        return blocks.compactMap { $0.lines[0].split(separator: "(").first.map(String.init) }
    }

    @Test func `show code that runs`() throws {
        let readme = try Self.functions(of: "README.md")
        let page = try Self.functions(of: "docs/several-stores.md")

        #expect(readme == ["func keepBooks"])
        #expect(
            page == [
                "func guideModel", "func guideContainer", "func archive", "func saveOrSay",
                "func backUpGuide",
            ])
    }

    @Test func `show two stores under one coordinator`() throws {
        let folder = try TemporaryFolder()
        let model = try ManagedObjectModel([
            EntityDescription("Book", [.attribute("title", .string, isOptional: false)])
        ])

        let titles = try keepBooks(of: model, in: folder.url)
        let counts = try ["Shelf.sqlite", "Archive.lmdb"].map { name in
            try ToolRun(
                ["store", "query", folder.file(name).path, "--entity", "Book", "--count"]
            ).text
        }

        #expect(titles == ["Lavinia", "The Dispossessed"])
        #expect(counts == ["1\n", "1\n"])
    }

    @Test func `show a store for each configuration, and one save`() async throws {
        let folder = try TemporaryFolder()
        let container = try await guideContainer(in: folder.url)
        let said = try await container.performBackgroundTask { context in
            for name in ["Species", "Sighting"] {
                _ = try context.insertNewObject(forEntityName: name)
            }
            return try saveOrSay(context)
        }
        let info = try ToolRun(
            ["store", "info"] + ["Catalog.lmdb", "Notes.sqlite"].map { folder.file($0).path })

        let rows = info.text.split(separator: "\n").map {
            $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        #expect(said == "saved")
        #expect(rows.contains { $0.prefix(3) == ["Species", "1", "1"] }, "\(info.text)")
        #expect(
            rows.contains { $0.prefix(2) == ["Sighting", "1"] && $0.dropFirst(3).first == "1" },
            "\(info.text)")
    }

    @Test func `show an object that moves`() async throws {
        let folder = try TemporaryFolder()
        let container = try await guideContainer(in: folder.url)
        let store = try await container.persistentStoreCoordinator.addPersistentStore(
            ofType: .xml, configurationName: "User", at: folder.file("Archive.xml"))

        let count = try await container.performBackgroundTask { context in
            let sighting = try context.insertNewObject(forEntityName: "Sighting")
            try context.save()
            try archive(sighting, to: store)
            var archived = FetchRequest<ManagedObject>("Sighting")
            archived.affectedStores = [store]
            return try context.count(for: archived)
        }

        #expect(count == 1)
    }

    @Test func `show a backup, and stores that are restored from it`() async throws {
        let folder = try TemporaryFolder()
        let backup = folder.file("backup")
        let container = try await guideContainer(in: folder.url)
        try await Self.saveBoth(in: container)
        try await backUpGuide(container, to: backup)
        try await Self.saveBoth(in: container)
        for store in container.persistentStoreCoordinator.persistentStores {
            try container.persistentStoreCoordinator.remove(store)
        }

        let restored = try await restoreGuide(from: backup, in: folder.url)
        let counts = try await restored.performBackgroundTask { context in
            try ["Species", "Sighting"].map {
                try context.count(for: FetchRequest<ManagedObject>($0))
            }
        }

        #expect(counts == [1, 1])
    }

    @Test func `show how the tool backs up, restores, and notices a store that is older`()
        async throws
    {
        let folder = try TemporaryFolder()
        let stores = ["Catalog.lmdb", "Notes.sqlite"].map { folder.file($0) }
        let backup = folder.file("Monday")
        let container = try await guideContainer(in: folder.url)
        try await Self.saveBoth(in: container)
        let made = try ToolRun(["store", "backup"] + stores.map(\.path) + [backup.path])
        let again = try ToolRun(["store", "backup", stores[0].path, backup.path])
        for _ in 0..<2 { try await Self.saveBoth(in: container) }
        let open = try ToolRun(["store", "restore", backup.path])
        let coordinator = container.persistentStoreCoordinator
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        try coordinator.replacePersistentStore(
            at: stores[1], withPersistentStoreFrom: backup.appending(path: "Notes.sqlite"),
            type: .sqlite)
        let alone = try ToolRun(["store", "verify"] + stores.map(\.path))
        let restored = try ToolRun(["store", "restore", backup.path])
        let elsewhere = folder.file("elsewhere")
        try FileManager.default.createDirectory(at: elsewhere, withIntermediateDirectories: true)
        let into = try ToolRun(["store", "restore", backup.path, "--into", elsewhere.path])
        let sound = try ToolRun(["store", "verify"] + stores.map(\.path))

        #expect(made.exitCode == 0, "\(made.errorText)")
        #expect(made.text.contains("backed up 2 stores to"))
        #expect(again.exitCode == 1 && open.exitCode == 1)
        #expect(alone.exitCode == 3, "\(alone.errorText)")
        #expect(alone.text.contains("it lacks the last 2 of the saves that were made to both"))
        #expect(restored.exitCode == 0, "\(restored.errorText)")
        #expect(restored.text == stores.map { "restored \($0.path)\n" }.joined())
        #expect(into.text.contains("restored \(elsewhere.path)/Notes.sqlite"))
        #expect(sound.exitCode == 0, "\(sound.text)")
    }

    private static func saveBoth(in container: PersistentContainer) async throws {
        try await container.performBackgroundTask { context in
            for name in ["Species", "Sighting"] {
                _ = try context.insertNewObject(forEntityName: name)
            }
            try context.save()
        }
    }

    @Test func `show what the tool says about a pending save`() throws {
        let stores = try TwoStores(.lmdb, .sqlite, names: ("Catalog.lmdb", "Notes.sqlite"))
        try stores.interruptSave()
        let blocks = try PageBlock.all(of: "docs/several-stores.md").filter {
            $0.title == "console"
        }

        for block in blocks {
            let command = try #require(block.lines.first?.dropFirst(2))
            let found = try Self.output(of: command, in: stores.folder.url)
            #expect(Self.comparable("$ \(command)\n\(found)") == Self.comparable(block.text))
        }
        #expect(blocks.count == 3)
    }

    /// Returns the text in a form that does not depend on random identifiers: all saves have the same name,
    /// and so do all journals. Random identifiers decide which store has the journal next to it. Also removes
    /// repeated spaces, because column widths depend on the paths.
    private static func comparable(_ text: String) -> String {
        text.replacing(/[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}/, with: "NAME")
            .replacing(/[a-zA-Z.]+-pending-NAME/, with: "JOURNAL")
            .replacing(/[ -]+/, with: " ")
    }

    private static func output(of command: Substring, in folder: URL) throws -> String {
        let bin = ToolRun.executable.deletingLastPathComponent().path
        let process = try ChildProcess(
            "/bin/sh",
            ["-c", "cd \"$0\" && PATH=\"$1:$PATH\" && { \(command); } 2>&1", folder.path, bin])
        let text = String(decoding: try process.output(), as: UTF8.self)
        return text.replacingOccurrences(of: folder.path + "/", with: "")
    }
}
