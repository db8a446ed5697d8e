import CairnModel
import StackSupport

@testable import CairnObjects
@testable import CairnUndo

/// A context whose events can each be undone, for tests that edit objects.
struct MusicEditor {
    let stack: MusicStack
    let context: ManagedObjectContext
    let manager = UndoManager()

    init() throws {
        stack = try MusicStack()
        context = try stack.context()
        manager.groupsByEvent = false
        context.undoManager = manager
    }

    func insert(_ entity: String, _ values: [String: Any] = [:]) throws -> ManagedObject {
        let object = try context.insertNewObject(forEntityName: entity)
        for (key, value) in values { try object.setValue(value, forKey: key) }
        return object
    }

    /// Inserts a tag and begins a new event.
    func tag(_ name: String) throws -> ManagedObject {
        let tag = try insert("Tag", ["name": name])
        context.processPendingChanges()
        return tag
    }
}
