import CairnGraph
import CairnMemory
import CairnModel

/// A whole stack on the in-memory engine, linked from the products that it uses and no others.
@main enum MemoryOnlyProgram {
    static func main() throws {
        let model = try ManagedObjectModel([
            EntityDescription("Note", [.attribute("text", .string)])
        ])
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: model, registry: StoreRegistry([InMemoryStore.self]))
        try coordinator.addPersistentStore(ofType: "InMemory", at: nil)
        let count = try ContextHandle(coordinator: coordinator).performAndWait { context in
            let note = try context.insertNewObject(forEntityName: "Note")
            try note.setValue("kept", forKey: "text")
            try context.save()
            return try context.count(for: FetchRequest<ManagedObject>("Note"))
        }
        print("notes: \(count)")
    }
}
