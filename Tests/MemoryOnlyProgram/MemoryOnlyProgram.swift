import CairnMemory
import CairnModel
import CairnObjects
import CairnStack

/// A program with a whole stack on the in-memory engine. It is linked only with the products that it uses.
///
/// With the argument `lost-value` it reads two unavailable values without a `faultFailureHandler`, and exits.
private final class Note: ManagedObject {
    @Managed var text: String?
}

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
            let notes: [Note] = try context.fetch(FetchRequest<Note>())
            context.reset()
            for note in notes {
                print("text: \(note.text ?? "none")")
                print("is nil: \(note.text == nil)")
            }
        }
    }
}
