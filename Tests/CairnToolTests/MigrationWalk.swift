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
