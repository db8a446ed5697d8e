import CairnMemory
import CairnModel
import CairnObjects
import CairnStack

/// A program with a whole stack on the in-memory engine. It is linked only with the products that it uses.
///
/// With the argument `lost-value` it reads two unavailable values without a `faultFailureHandler`, and exits.
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
        if CommandLine.arguments.contains("lost-value") {
            try readLostValue(of: coordinator)
        }
        print("notes: \(count)")
    }

    private static func readLostValue(of coordinator: PersistentStoreCoordinator) throws {
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            let notes: [ManagedObject] = try context.fetch(FetchRequest("Note"))
            context.reset()
            for note in notes {
                guard let text = note.slot(named: "text") else { continue }
                print("text: \(note.string(at: text) ?? "none")")
                print("is nil: \(note.isNil(at: text))")
            }
        }
    }
}
