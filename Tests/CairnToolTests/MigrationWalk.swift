import Cairn
import Foundation

// The functions in docs/migration.md. A test compares them with the page, word for word.

func saveFirstNotes(in folder: URL) throws {
    let model = try ManagedObjectModel(
        contentsOf: folder.appending(path: "Notes.xcdatamodeld/Notes.xcdatamodel"))
    let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(
        ofType: .sqlite, at: folder.appending(path: "Notes.sqlite"))
    try ContextHandle(coordinator: coordinator).performAndWait { context in
        for (title, text) in [("Shopping", "Bread and ink"), ("Reading", "Chapter 4")] {
            let note = try context.insertNewObject(forEntityName: "Note")
            try note.setValue(title, forKey: "title")
            try note.setValue(text, forKey: "text")
        }
        try context.save()
    }
    try coordinator.remove(store)
}

func fileNotes(in folder: URL) throws {
    let model = try ManagedObjectModel(
        contentsOf: folder.appending(path: "Notes.xcdatamodeld/Notes 3.xcdatamodel"))
    let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(
        ofType: .sqlite, at: folder.appending(path: "Notes.sqlite"),
        options: [.migratesAutomatically: .boolean(true), .infersMappingModel: .boolean(true)])
    try ContextHandle(coordinator: coordinator).performAndWait { context in
        let home = try context.insertNewObject(forEntityName: "Folder")
        try home.setValue("Home", forKey: "name")
        for note in try context.fetch(FetchRequest<ManagedObject>("Note")) {
            try note.setValue(home, forKey: "folder")
        }
        try context.save()
    }
    try coordinator.remove(store)
}

func openWithoutTags(
    _ coordinator: PersistentStoreCoordinator, before: ManagedObjectModel, at url: URL
) throws {
    coordinator.setModelHistory {
        ModelHistory(versions: [ModelHistory.Version(name: "1", model: before)])
    }
    try coordinator.addPersistentStore(
        ofType: .sqlite, at: url,
        options: [.migratesAutomatically: .boolean(true), .infersMappingModel: .boolean(true)])
}

func writeDatesAsTexts(in folder: URL) throws {
    var history = try ModelHistory(contentsOf: folder.appending(path: "Notes.xcdatamodeld"))
    let model = history.versions[4].model
    history.migrate("Entry", to: model) { old, new in
        let date = try old.value(forKey: "created") as? Date
        try new.setValue(date?.formatted(.iso8601) ?? "unknown", forKey: "created")
    }
    let manager = MigrationManager(destinationModel: model, history: history)
    try manager.migrateStore(at: folder.appending(path: "Notes.sqlite"), ofType: .sqlite)
}

func moveScans(
    in context: ManagedObjectContext, from first: any PersistentStore,
    to second: any PersistentStore
) throws {
    var request = FetchRequest<ManagedObject>("Scan")
    request.affectedStores = [first]
    request.fetchLimit = 100
    while case let scans = Array(try context.fetch(request)), !scans.isEmpty {
        try context.move(scans, to: second)
        try context.save()  // in both stores, or in neither
    }
}

func makePages(in folder: URL) throws {
    func successors(of mapping: String, _ end: String) throws -> FetchExpression {
        try FetchExpression(
            format: """
                FUNCTION($manager, "destinationInstancesForEntityMappingNamed:sourceInstances:", \
                "\(mapping)", \(end))
                """)
    }
    let mapping = MappingModel([
        EntityMapping(
            "Labels", from: "Folder", to: "Label",
            attributes: [PropertyMapping("name", try FetchExpression(format: "$source.name"))],
            relationships: [PropertyMapping("pages", try successors(of: "Pages", "$source.notes"))]),
        EntityMapping(
            "Pages", from: "Note", to: "Page",
            attributes: [PropertyMapping("heading", try FetchExpression(format: "$source.title"))]),
        EntityMapping(
            "Texts", from: "Note", to: "PageText",
            attributes: [
                PropertyMapping("created", try FetchExpression(format: "$source.created")),
                PropertyMapping("words", try FetchExpression(format: "$source.body")),
            ],
            relationships: [PropertyMapping("page", try successors(of: "Pages", "$source"))]),
    ])
    var history = try ModelHistory(contentsOf: folder.appending(path: "Notes.xcdatamodeld"))
    let (old, new) = (history.versions[4].model, history.versions[5].model)
    history.add(mapping, named: "Pages", from: old, to: new)
    let manager = MigrationManager(destinationModel: new, history: history)
    try manager.migrateStore(at: folder.appending(path: "Notes.sqlite"), ofType: .sqlite)
}

final class PricePolicy: EntityMigrationPolicy {
    override func createDestinationInstances(
        forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: source, in: mapping, manager: manager)
        let made = manager.destinationInstances(
            forEntityMappingName: mapping.name, sourceInstances: [source])
        let cents = try source.value(forKey: "cents") as? Int64 ?? 0
        for item in made { try item.setValue(Double(cents) / 100, forKey: "price") }
    }
}

func register(_ history: inout ModelHistory) {
    history.register(PricePolicy.self, as: "Shop.PricePolicy")
}

func addStage(_ history: inout ModelHistory) {
    let (old, new) = (history.versions[0].model, history.versions[1].model)
    history.addStage(from: old, to: new) { context in
        // The store has the old version here.
        let empty = try FetchRequest<ManagedObject>("Note", where: "title == \"\"")
        for note in try context.fetch(empty) { try context.delete(note) }
    } didMigrate: { context in
        for note in try context.fetch(FetchRequest<ManagedObject>("Note")) {
            try note.setValue(true, forKey: "isPinned")
        }
    }
}
