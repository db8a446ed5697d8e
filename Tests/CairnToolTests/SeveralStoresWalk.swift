import Cairn
import Foundation

// The functions in README.md and docs/several-stores.md. A test compares them word for word.

func keepBooks(of model: ManagedObjectModel, in folder: URL) throws -> [String] {
    let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
    let shelf = try coordinator.addPersistentStore(
        ofType: .sqlite, at: folder.appending(path: "Shelf.sqlite"))
    let archive = try coordinator.addPersistentStore(
        ofType: .lmdb, at: folder.appending(path: "Archive.lmdb"))
    return try ContextHandle(coordinator: coordinator).performAndWait { context in
        for (title, store) in [("Lavinia", shelf), ("The Dispossessed", archive)] {
            let book = try context.insertNewObject(forEntityName: "Book")
            try book.setValue(title, forKey: "title")
            try context.assign(book, to: store)
        }
        try context.save()  // into both stores or none, even if the process is killed
        var books = FetchRequest<ManagedObject>("Book")  // from both
        books.sortDescriptors = [FetchSortDescriptor("title")]
        return try context.fetch(books).compactMap { try $0.value(forKey: "title") as? String }
    }
}

func guideModel() throws -> ManagedObjectModel {
    var species = EntityDescription(
        "Species", [.attribute("code", .string), .attribute("name", .string)])
    species.uniquenessConstraints = [["code"]]
    var description = ModelDescription([
        species,
        EntityDescription(
            "Sighting",
            [
                .attribute("place", .string),
                .reference("species", .string, to: "Species", by: "code"),
            ]),
    ])
    description.configurations = ["Catalogue": ["Species"], "User": ["Sighting"]]
    return try ManagedObjectModel(description)
}

func guideContainer(in folder: URL) async throws -> PersistentContainer {
    let catalogue = PersistentStoreDescription(
        type: .lmdb, url: folder.appending(path: "Catalog.lmdb"))
    catalogue.configuration = "Catalogue"
    let notes = PersistentStoreDescription(
        type: .sqlite, url: folder.appending(path: "Notes.sqlite"))
    notes.configuration = "User"
    let container = PersistentContainer(name: "Guide", managedObjectModel: try guideModel())
    container.persistentStoreDescriptions = [catalogue, notes]
    try await container.loadPersistentStores()
    return container
}

func saveOrSay(_ context: ManagedObjectContext) throws -> String {
    do {
        try context.save()
        return "saved"
    } catch GraphError.savePending(let save) {
        // It has taken place. The context has no changes any more: do not save them again.
        return "saved, and \(save.stores.count) stores will have it as soon as they can be written"
    } catch GraphError.store(.savePending(let save)) {
        // Nothing of this save was done, because of an earlier one. Try again later.
        context.rollback()
        return "not saved: \(save)"
    }
}

func backUpGuide(_ container: PersistentContainer, to folder: URL) async throws {
    try await container.backUp(to: folder) { part in
        print("\(Int(part * 100)) percent")
        return .proceed
    }
}

func restoreGuide(from backup: URL, in folder: URL) async throws -> PersistentContainer {
    let container = try await guideContainer(in: folder)
    let coordinator = container.persistentStoreCoordinator
    // Nothing can be restored while a store is open.
    for store in coordinator.persistentStores { try coordinator.remove(store) }
    try await container.restore(fromBackup: backup)
    try await container.loadPersistentStores()
    return container
}

func archive(_ note: ManagedObject, to store: any PersistentStore) throws {
    guard let context = note.managedObjectContext else { return }
    try context.move(note, to: store)
    try context.save()  // in both stores, or in neither
}
