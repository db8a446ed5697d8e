import Cairn
import CairnTestSupport
import Foundation
import Testing

/// A model that grew an entity for another configuration numbers its entities otherwise.
@Suite struct `A model that numbers entities otherwise` {
    private static func model(_ others: String...) throws -> ManagedObjectModel {
        var description = ModelDescription(
            (["Album", "Song"] + others).map {
                EntityDescription($0, [.attribute("title", .string)])
            })
        description.configurations = ["Music": ["Album", "Song"], "Other": others]
        return try ManagedObjectModel(description)
    }

    private static func titles(_ coordinator: PersistentStoreCoordinator) throws -> [String] {
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            try context.fetch(FetchRequest<ManagedObject>("Song")).map {
                try $0.value(forKey: "title") as? String ?? ""
            }
        }
    }

    @Test func `is refused by LMDB with a way out, which leads out`() throws {
        let folder = try TemporaryFolder()
        let old = PersistentStoreCoordinator(managedObjectModel: try Self.model("Note"))
        let store = try old.addPersistentStore(
            ofType: .lmdb, configurationName: "Music", at: folder.file("a.lmdb"))
        try ContextHandle(coordinator: old).performAndWait { context in
            let song = try context.insertNewObject(forEntityName: "Song")
            try song.setValue("Svefn-g-englar", forKey: "title")
            try context.save()
        }
        let new = PersistentStoreCoordinator(managedObjectModel: try Self.model("Band", "Note"))

        let refusal = #expect(throws: GraphError.self) {
            try new.addPersistentStore(
                ofType: .lmdb, configurationName: "Music", at: folder.file("a.lmdb"))
        }
        _ = try old.migratePersistentStore(store, to: folder.file("a.sqlite"), type: .sqlite)
        let copy = try new.addPersistentStore(
            ofType: .sqlite, configurationName: "Music", at: folder.file("a.sqlite"))
        _ = try new.migratePersistentStore(copy, to: folder.file("b.lmdb"), type: .lmdb)

        guard case .store(.unsupported(_, _, let advice)) = refusal else {
            Issue.record("\(String(describing: refusal))")
            return
        }
        #expect(advice.contains("SQLite"))
        #expect(try Self.titles(new) == ["Svefn-g-englar"])
    }
}
