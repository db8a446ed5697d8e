import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// A store of one configuration, after an entity of another configuration changed.
@Suite struct `A store of an unchanged configuration` {
    /// A change of the entities of the other configuration.
    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let entities: [EntityDescription]
    }

    private static let other = [
        EntityDescription("Note", [.attribute("text", .string), .attribute("size", .integer16)]),
        EntityDescription("Pen", [.attribute("color", .string)]),
    ]

    private static func note(_ properties: PropertyDescription...) -> [EntityDescription] {
        other.changing("Note") { $0.properties += properties }
    }

    private static let changes: [Change] = [
        Change(
            testDescription: "an attribute is added", entities: note(.attribute("title", .string))),
        Change(
            testDescription: "an attribute is removed",
            entities: other.changing("Note") { $0.properties.removeFirst() }),
        Change(
            testDescription: "a type changes",
            entities: other.changing("Note") {
                $0.properties[1] = .attribute("size", .integer64)
            }),
        Change(
            testDescription: "a to-one is added", entities: note(.toOne("pen", "Pen"))),
        Change(
            testDescription: "a relationship is added",
            entities: note(.toOne("pen", "Pen", inverse: "notes")).changing("Pen") {
                $0.properties.append(.toMany("notes", "Note", inverse: "pen", isOrdered: true))
            }),
        Change(
            testDescription: "a many-to-many is added",
            entities: note(.toMany("pens", "Pen", inverse: "notes")).changing("Pen") {
                $0.properties.append(.toMany("notes", "Note", inverse: "pens"))
            }),
        Change(
            testDescription: "a to-many without an inverse is added",
            entities: note(.toMany("pens", "Pen"))),
        Change(
            testDescription: "a constraint and an index are added",
            entities: other.changing("Note") {
                $0.uniquenessConstraints = [["text"]]
                $0.fetchIndexes = [FetchIndexDescription("bySize", elements: [.init("size")])]
            }),
        Change(
            testDescription: "an external attribute is added",
            entities: note(.attribute(.external("scan")))),
        Change(
            testDescription: "an entity becomes abstract, with a subentity that sorts first",
            entities: other.changing("Note") { $0.isAbstract = true } + [
                EntityDescription("Aaa", superentity: "Note", [.attribute("x", .string)])
            ]),
        Change(
            testDescription: "an attribute is added, and the numbers of all entities change",
            entities: note(.attribute("title", .string)) + [
                EntityDescription("Aaa", [.attribute("x", .string)])
            ]),
        Change(
            testDescription: "an entity is removed",
            entities: other.filter { $0.name == "Note" }),
        Change(
            testDescription: "an entity is renamed",
            entities: other.changing("Pen") {
                $0.name = "Brush"
                $0.renamingIdentifier = "Pen"
            }),
        Change(
            testDescription: "an entity moves below another one",
            entities: other.changing("Pen") { $0.superentity = "Note" }),
    ]

    private static func model(_ others: [EntityDescription]) throws -> ManagedObjectModel {
        let music = [
            EntityDescription(
                "Album",
                [
                    .attribute("title", .string),
                    .toMany("songs", "Song", inverse: "album", isOrdered: true),
                ]),
            EntityDescription(
                "Song",
                [
                    .attribute("title", .string), .toOne("album", "Album", inverse: "songs"),
                    .toMany("versions", "Song", inverse: "originals"),
                    .toMany("originals", "Song", inverse: "versions"),
                ]),
        ]
        var description = ModelDescription(music + others)
        description.configurations = [
            "Music": ["Album", "Song"], "Other": others.map(\.name),
        ]
        return try ManagedObjectModel(description)
    }

    /// Opens the store with a model, and runs the body in a context.
    private func use<Result: Sendable>(
        _ model: ManagedObjectModel, _ type: StoreType, at url: URL, configuration: String? = nil,
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: type, configurationName: configuration, at: url)
        defer { try? coordinator.remove(store) }
        return try ContextHandle(coordinator: coordinator).performAndWait(body)
    }

    /// Opens the store with a model, adds a song to the album, and returns the titles of the album's songs.
    private func addSong(
        _ title: String, _ model: ManagedObjectModel, _ type: StoreType, at url: URL,
        configuration: String? = "Music"
    ) throws -> [String] {
        try use(model, type, at: url, configuration: configuration) { context in
            let album =
                try context.fetch(FetchRequest<ManagedObject>("Album")).first
                ?? context.insertNewObject(forEntityName: "Album")
            let songs = try context.fetch(FetchRequest<ManagedObject>("Song"))
            let song = try context.insertNewObject(forEntityName: "Song")
            try song.setValue(title, forKey: "title")
            try song.setValue(album, forKey: "album")
            try song.setValue(Set(songs), forKey: "originals")
            try context.save()
            context.reset()
            let all = try context.fetch(FetchRequest<ManagedObject>("Song"))
            #expect(
                try all.map { try $0.mutableSetValue(forKey: "originals").count }
                    .sorted() == Array(0..<all.count))
            return try all.filter { try $0.value(forKey: "album") != nil }.map {
                try $0.value(forKey: "title") as? String ?? ""
            }.sorted()
        }
    }

    @Test(arguments: everyFileEngine, changes)
    func `can be opened and saved, with both models in turn`(
        _ type: StoreType, _ change: Change
    ) throws {
        let folder = try TemporaryFolder()
        let (old, new) = (try Self.model(Self.other), try Self.model(change.entities))
        for created in ["Music", nil] {
            let url = folder.file("\(created ?? "whole").store")

            let titles = try [
                addSong("1", old, type, at: url, configuration: created),
                addSong("2", new, type, at: url), addSong("3", new, type, at: url),
                addSong("4", old, type, at: url), addSong("5", new, type, at: url),
            ]

            #expect(titles == (1...5).map { (1...$0).map(String.init) })
        }
    }

    @Test(arguments: everyFileEngine, changes)
    func `keeps the objects of the other configuration or refuses to be opened`(
        _ type: StoreType, _ change: Change
    ) throws {
        let folder = try TemporaryFolder()
        let url = folder.file("a.store")
        let (old, new) = (try Self.model(Self.other), try Self.model(change.entities))
        try addNote(old, type, at: url)

        let isOpened = (try? addSong("1", new, type, at: url)) != nil
        let texts = [old, new].map { model in try? notes(model, type, at: url) }

        // After a save with the new model, an engine that writes its whole file has the hashes of that model.
        let isUnchanged =
            old.entityVersionHashes["Note"] == new.entityVersionHashes["Note"] && isOpened
        let isKept = texts[0] == ["text"] || isUnchanged && texts[1] == ["text"]
        #expect(isKept)
    }

    @Test(arguments: everyFileEngine)
    func `can be opened with objects of the changed entity after it was migrated as a whole`(
        _ type: StoreType
    ) throws {
        let folder = try TemporaryFolder()
        let url = folder.file("a.store")
        let new = try Self.model(Self.note(.attribute("title", .string)))
        try addNote(try Self.model(Self.other), type, at: url)

        try MigrationManager(destinationModel: new).migrateStore(at: url, ofType: type)

        #expect(try addSong("1", new, type, at: url) == ["1"])
        #expect(try notes(new, type, at: url) == ["text"])
    }

    private func addNote(_ model: ManagedObjectModel, _ type: StoreType, at url: URL) throws {
        try use(model, type, at: url) { context in
            let note = try context.insertNewObject(forEntityName: "Note")
            try note.setValue("text", forKey: "text")
            try context.save()
        }
    }

    private func notes(
        _ model: ManagedObjectModel, _ type: StoreType, at url: URL
    ) throws -> [String] {
        try use(model, type, at: url) { context in
            try context.fetch(FetchRequest<ManagedObject>("Note")).map {
                try $0.value(forKey: "text") as? String ?? ""
            }
        }
    }
}
