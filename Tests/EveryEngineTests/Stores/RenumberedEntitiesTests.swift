import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// If a model gains an entity for another configuration, its entities are numbered differently.
@Suite struct `A model that numbers entities differently` {
    private static func model(_ others: String...) throws -> ManagedObjectModel {
        var description = ModelDescription(
            (["Album", "Song"] + others).map {
                EntityDescription($0, [.attribute("title", .string)])
            })
        description.configurations = ["Music": ["Album", "Song"], "Other": others]
        return try ManagedObjectModel(description)
    }

    private static func add(
        _ titles: [String], to coordinator: PersistentStoreCoordinator
    ) throws {
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            for title in titles {
                let song = try context.insertNewObject(forEntityName: "Song")
                try song.setValue(title, forKey: "title")
            }
            try context.save()
        }
    }

    private static func titles(_ coordinator: PersistentStoreCoordinator) throws -> [String] {
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            try context.fetch(FetchRequest<ManagedObject>("Song")).map {
                try $0.value(forKey: "title") as? String ?? ""
            }.sorted()
        }
    }

    @Test(arguments: everyFileEngine)
    func `reads and saves a store of its configuration`(_ type: StoreType) throws {
        let folder = try TemporaryFolder()
        let old = PersistentStoreCoordinator(managedObjectModel: try Self.model("Note"))
        let store = try old.addPersistentStore(
            ofType: type, configurationName: "Music", at: folder.file("a.store"))
        try Self.add(["Svefn-g-englar"], to: old)
        try old.remove(store)
        let new = PersistentStoreCoordinator(managedObjectModel: try Self.model("Band", "Note"))

        try new.addPersistentStore(
            ofType: type, configurationName: "Music", at: folder.file("a.store"))
        try Self.add(["Starálfur"], to: new)

        #expect(try Self.titles(new) == ["Starálfur", "Svefn-g-englar"])
    }
}
