import Cairn
import CairnTestSupport
import FolderStore
import Foundation
import Testing

@Suite struct `Engine outside of Cairn` {
    @Test func `is selected by its type string and stores a graph`() throws {
        let folder = try TemporaryFolder()
        let stack = try openStack(folder.file("library"))
        try ContextHandle(coordinator: stack).performAndWait { context in
            let author = try context.insertNewObject(forEntityName: "Author")
            try author.setValue("Woolf", forKey: "name")
            for title in ["Orlando", "The Waves"] {
                let book = try context.insertNewObject(forEntityName: "Book")
                try book.setValue(title, forKey: "title")
                try book.setValue(author, forKey: "author")
            }
            try context.save()
        }
        for store in stack.persistentStores { try stack.remove(store) }

        let again = try openStack(folder.file("library"))
        let found = try ContextHandle(coordinator: again).performAndWait { context in
            let request = try FetchRequest<ManagedObject>(
                "Book", where: "author.name == 'Woolf' AND title BEGINSWITH 'O'")
            return try context.fetch(request).map { try $0.value(forKey: "title") as? String }
        }

        #expect(found == ["Orlando"])
        let files = try FileManager.default.contentsOfDirectory(
            atPath: folder.file("library").path)
        #expect(
            Set(files) == [
                "Author-1.json", "Book-1.json", "Book-2.json", "store.json",
            ])
    }

    private func openStack(_ url: URL) throws -> PersistentStoreCoordinator {
        let model = try ManagedObjectModel([
            EntityDescription(
                "Author",
                [.attribute("name", .string), .toMany("books", "Book", inverse: "author")]),
            EntityDescription(
                "Book",
                [.attribute("title", .string), .toOne("author", "Author", inverse: "books")]),
        ])
        PersistentStoreCoordinator.registerStoreClass(FolderStore.self, type: "Folder")
        let stack = PersistentStoreCoordinator(
            managedObjectModel: model, registry: StoreRegistry.builtIn)
        try stack.addPersistentStore(ofType: "Folder", at: url)
        return stack
    }
}
