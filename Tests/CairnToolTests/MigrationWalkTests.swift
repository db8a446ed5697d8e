import Cairn
import CairnProcesses
import CairnTestSupport
import Foundation
import Testing

/// Follows the instructions in docs/migration.md: writes its files, calls its functions, runs its commands,
/// and compares the output.
@Suite struct `The walk through migrations` {
    @Test func `leads from version 1 to version 6`() throws {
        let folder = try TemporaryFolder()
        let source = try Repository.text("Tests/CairnToolTests/MigrationWalk.swift")
        var (files, functions, commands) = (0, 0, 0)
        for block in try PageBlock.all(of: "docs/migration.md") {
            switch block.title.split(separator: " ", maxSplits: 1).map(String.init) {
            case let parts where parts.first == "xml":
                try Self.write(block, to: folder.url.appending(path: try #require(parts.last)))
                files += 1
            case ["swift"]:
                #expect(source.contains(block.text), "\(block.lines.first ?? "")")
                if block.text.contains("func saveFirstNotes(") {
                    try saveFirstNotes(in: folder.url)
                } else if block.text.contains("func fileNotes(") {
                    try fileNotes(in: folder.url)
                } else if block.text.contains("func writeDatesAsTexts(") {
                    try writeDatesAsTexts(in: folder.url)
                } else if block.text.contains("func makePages(") {
                    try makePages(in: folder.url)
                }
                functions += 1
            case ["console"]:
                let found = try block.lines.filter { $0.hasPrefix("$ ") }.map { line in
                    commands += 1
                    return line + "\n" + (try Self.output(of: line.dropFirst(2), in: folder.url))
                }.joined()
                #expect(found == block.text)
            default: continue
            }
        }
        #expect(files == 6)
        #expect(functions == 8)
        #expect(commands == 9)
    }

    private static func write(_ block: PageBlock, to file: URL) throws {
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(block.text.utf8).write(to: file)
    }

    // MARK: The page's other programs

    /// Migrates a store, and returns the values of an entity's attribute.
    private func values(
        of attribute: String, _ entity: String, at url: URL, to model: ManagedObjectModel,
        _ history: ModelHistory
    ) throws -> [String] {
        try MigrationManager(destinationModel: model, history: history)
            .migrateStore(at: url, ofType: .sqlite)
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(ofType: .sqlite, at: url)
        let values = try ContextHandle(coordinator: coordinator).performAndWait { context in
            try context.fetch(FetchRequest<ManagedObject>(entity)).map {
                "\(try $0.value(forKey: attribute) ?? "nil")"
            }
        }
        try coordinator.remove(store)
        return values
    }

    /// Creates a store of one object.
    private func makeStore(
        _ model: ManagedObjectModel, _ entity: String, _ values: [String: any Sendable], at url: URL
    ) throws {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(ofType: .sqlite, at: url)
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            let object = try context.insertNewObject(forEntityName: entity)
            for (name, value) in values { try object.setValue(value, forKey: name) }
            try context.save()
        }
        try coordinator.remove(store)
    }

    @Test func `has a stage that removes notes before and pins notes after a step`() throws {
        let folder = try TemporaryFolder()
        for block in try PageBlock.all(of: "docs/migration.md")
        where block.title.hasPrefix("xml Notes.xcdatamodeld/") {
            try Self.write(block, to: folder.url.appending(path: String(block.title.dropFirst(4))))
        }
        var history = try ModelHistory(
            contentsOf: folder.url.appending(path: "Notes.xcdatamodeld"))
        let url = folder.file("Notes.sqlite")
        try saveFirstNotes(in: folder.url)
        addStage(&history)

        let pinned = try values(
            of: "isPinned", "Note", at: url, to: history.versions[1].model, history)

        #expect(pinned == ["true", "true"])
    }

    @Test func `has a policy that converts prices`() throws {
        let folder = try TemporaryFolder()
        let models = try [("cents", AttributeType.integer64), ("price", .double)].map {
            try ManagedObjectModel([EntityDescription("Item", [.attribute($0.0, $0.1)])])
        }
        var history = ModelHistory(
            versions: models.map { ModelHistory.Version(name: "", model: $0) })
        history.add(
            MappingModel([
                EntityMapping("Items", from: "Item", to: "Item", policy: "_TtC4Shop11PricePolicy")
            ]), named: "Prices", from: models[0], to: models[1])
        let url = folder.file("Shop.sqlite")
        try makeStore(models[0], "Item", ["cents": 1250], at: url)
        register(&history)

        let prices = try values(of: "price", "Item", at: url, to: models[1], history)

        #expect(prices == ["12.5"])
    }

    @Test func `has a program that says what its model was before`() throws {
        let folder = try TemporaryFolder()
        let name = PropertyDescription.attribute("name", .string)
        let before = try ManagedObjectModel([
            EntityDescription("Note", [name, .attribute("tags", .string)])
        ])
        let after = try ManagedObjectModel([EntityDescription("Note", [name])])
        let url = folder.file("Notes.sqlite")
        try makeStore(before, "Note", ["name": "Bread", "tags": "food"], at: url)
        let coordinator = PersistentStoreCoordinator(managedObjectModel: after)

        try openWithoutTags(coordinator, before: before, at: url)
        try coordinator.remove(coordinator.persistentStores[0])

        #expect(try values(of: "name", "Note", at: url, to: after, ModelHistory()) == ["Bread"])
    }

    /// Returns the output of a command, including errors. The command runs in a folder, and `cairn` is in its
    /// `PATH`.
    private static func output(of command: Substring, in folder: URL) throws -> String {
        let bin = ToolRun.executable.deletingLastPathComponent().path
        let process = try ChildProcess(
            "/bin/sh",
            ["-c", "cd \"$0\" && PATH=\"$1:$PATH\" && { \(command); } 2>&1", folder.path, bin])
        let text = String(decoding: try process.output(), as: UTF8.self)
        return text.replacingOccurrences(of: folder.path + "/", with: "")
    }
}
