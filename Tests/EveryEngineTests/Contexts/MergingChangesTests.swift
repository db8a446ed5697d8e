import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// How a context handles changes that other contexts saved.
@Suite struct `Changes of others` {
    private func insert(_ names: [String], in stack: ItemStack) throws {
        try stack.inContext { context throws in
            for name in names {
                _ = try context.insert("Item", ["name": name, "code": name, "a": 1, "b": 1])
            }
            try context.save()
        }
    }

    /// Changes, deletes and inserts items in a separate context. Returns the saved changes.
    private func changeElsewhere(in stack: ItemStack) throws -> ObjectIDChanges {
        try stack.inContext { context throws in
            var changes = ObjectIDChanges()
            let x = try #require(try context.item("x"))
            try x.setValue(2, forKey: "a")
            let y = try #require(try context.item("y"))
            try context.delete(y)
            changes.updated = [x.objectID]
            changes.deleted = [y.objectID]
            try context.save()
            return changes
        }
    }

    @Test(arguments: everyEngine)
    func `are merged below unsaved changes`(_ type: StoreType) throws {
        let stack = try ItemStack(type)
        try insert(["x", "y"], in: stack)

        try stack.inContext { context throws in
            let x = try #require(try context.item("x"))
            let y = try #require(try context.item("y"))
            try x.setValue(9, forKey: "b")
            let changes = try changeElsewhere(in: stack)
            #expect(try x["a"] == 1)
            try context.mergeChanges(changes)

            #expect(try x["a"] == 2)
            #expect(try x["b"] == 9)
            #expect(x.changedValues() == ["b": 9])
            #expect(y.managedObjectContext == nil)
            try context.save()
        }
    }

    @Test(arguments: everyEngine)
    func `come from the notification of a save, and from the URIs of another process`(
        _ type: StoreType
    ) throws {
        let stack = try ItemStack(type)
        try insert(["x", "y", "z"], in: stack)
        let reader = try stack.handle()
        try reader.performAndWait { context throws in
            context.retainsRegisteredObjects = true
            for name in ["x", "y", "z"] { _ = try context.item(name) }
        }
        let name = ManagedObjectContext.didSaveObjectIDsNotification
        let observer = NotificationCenter.default.addObserver(
            forName: name, object: nil, queue: nil
        ) { notification in
            guard let sender = notification.object as? ManagedObjectContext,
                sender.persistentStoreCoordinator === stack.coordinator
            else { return }
            do {
                try ManagedObjectContext.mergeChanges(
                    fromRemoteContextSave: notification.userInfo ?? [:], into: [reader])
            } catch {
                Issue.record(error)
            }
        }
        let changes = try changeElsewhere(in: stack)
        NotificationCenter.default.removeObserver(observer)
        try reader.performAndWait { context throws in
            let id = try #require(changes.updated.first)
            let value = try context.object(with: id)["a"]
            #expect(value == 2)
        }

        let uri = try stack.inContext { context throws in
            let z = try #require(try context.item("z"))
            try z.setValue(5, forKey: "a")
            try context.save()
            return z.objectID.uriRepresentation()
        }
        try ManagedObjectContext.mergeChanges(
            fromRemoteContextSave: ["updated_objectIDs": [uri]], into: [reader])
        try reader.performAndWait { context throws in
            let id = try #require(stack.coordinator.managedObjectID(forURIRepresentation: uri))
            #expect(context.registeredObject(for: id)?.isFault == false)
            #expect(try context.registeredObject(for: id)?["a"] == 5)
        }
    }

    @Test(arguments: everyEngine)
    func `are merged automatically if the context is set to`(
        _ type: StoreType
    ) throws {
        let stack = try ItemStack(type)
        try insert(["x", "y"], in: stack)
        let reader = try stack.handle()
        let child = ContextHandle(parent: reader)
        for handle in [reader, child] {
            try handle.performAndWait { context throws in
                context.automaticallyMergesChangesFromParent = true
                context.retainsRegisteredObjects = true
                for name in ["x", "y"] { _ = try context.item(name)?["a"] }
            }
        }
        let changes = try changeElsewhere(in: stack)

        for handle in [reader, child] {
            try handle.performAndWait { context throws in
                let id = try #require(changes.updated.first)
                let deleted = try #require(changes.deleted.first)
                let value = try context.registeredObject(for: id)?["a"]
                #expect(value == 2)
                #expect(context.registeredObject(for: deleted) == nil)
            }
        }
    }

    @Test(arguments: everyEngine)
    func `make a deleted object throw an error or have nil values`(
        _ type: StoreType
    ) throws {
        let stack = try ItemStack(type)
        try insert(["x", "y"], in: stack)
        for deletesFaults in [false, true] {
            try stack.inContext { context throws in
                context.shouldDeleteInaccessibleFaults = deletesFaults
                let name = deletesFaults ? "x" : "y"
                let id = try #require(try context.item(name)).objectID
                let fault = try context.object(with: id)
                try context.refresh(fault, mergeChanges: false)
                try stack.inContext { other in
                    try other.delete(try #require(try other.item(name)))
                    try other.save()
                }
                if deletesFaults {
                    #expect(try fault["a"] == .null)
                    #expect(try fault.value(forKey: "box") == nil)
                    try context.delete(fault)
                    try context.save()
                    #expect(fault.managedObjectContext == nil)
                } else {
                    #expect(throws: GraphError.self) { try fault["a"] }
                }
                #expect(throws: GraphError.self) { try context.existingObject(with: id) }
            }
        }
    }

    /// Ways in which an object loses its unsaved changes.
    enum Way: CaseIterable {
        case rollback, undo, refresh, save
    }

    @Test(arguments: everyEngine, Way.allCases)
    func `release an object that was deleted elsewhere only with its changes`(
        _ type: StoreType, _ way: Way
    ) throws {
        let stack = try ItemStack(type)
        try insert(["x", "y"], in: stack)
        try stack.inContext { context throws in
            context.undoManager = UndoManager()
            let item = try #require(try context.item("x"))
            try item.setValue(5, forKey: "a")
            context.processPendingChanges()
            try context.mergeChanges(try deleteElsewhere("x", in: stack))
            let kept = try item["a"]

            switch way {
            case .rollback: context.rollback()
            case .undo: context.undo()
            case .refresh: try context.refresh(item, mergeChanges: false)
            case .save:
                // Changes that are equal to the stored values cause no conflict.
                try item.setValue(1, forKey: "a")
                try context.save()
            }

            #expect(kept == 5)
            #expect(item.managedObjectContext == nil)
            #expect(context.registeredObject(for: item.objectID) == nil)
            #expect(!context.hasChanges)
            #expect(try context.count(for: FetchRequest<ManagedObject>("Item")) == 1)
        }
    }

    @Test(arguments: everyEngine)
    func `cannot be undone`(_ type: StoreType) throws {
        let stack = try ItemStack(type)
        try insert(["x", "y"], in: stack)
        try stack.inContext { context throws in
            let undoManager = UndoManager()
            context.undoManager = undoManager
            let (x, y) = (try context.item("x"), try context.item("y"))

            try context.mergeChanges(try changeElsewhere(in: stack))

            #expect(try x?["a"] == 2)
            #expect(y?.managedObjectContext == nil)
            #expect(!undoManager.canUndo)
        }
    }

    @Test(arguments: everyEngine)
    func `keep a deleted object with changes that is inserted again`(_ type: StoreType) throws {
        let stack = try ItemStack(type)
        try insert(["x"], in: stack)
        let other = try stack.handle()
        try stack.inContext { context throws in
            let item = try #require(try context.item("x"))
            try item.setValue(5, forKey: "a")
            let id = item.objectID
            var (deletion, comeback) = (ObjectIDChanges(), ObjectIDChanges())
            deletion.deleted = [id]
            comeback.inserted = [id]
            try other.performAndWait { other throws in
                other.undoManager = UndoManager()
                try other.delete(try other.existingObject(with: id))
                try other.save()
            }
            try context.mergeChanges(deletion)
            try other.performAndWait { other throws in
                other.undo()
                try other.existingObject(with: id).setValue(7, forKey: "b")
                try other.save()
            }
            try context.mergeChanges(comeback)

            context.rollback()

            #expect(item.managedObjectContext === context)
            #expect(try item["a"] == 1)
            #expect(try item["b"] == 7)
        }
    }

    private func deleteElsewhere(
        _ name: String, in stack: ItemStack
    ) throws -> ObjectIDChanges {
        try stack.inContext { context throws in
            let item = try #require(try context.item(name))
            try context.delete(item)
            try context.save()
            var changes = ObjectIDChanges()
            changes.deleted = [item.objectID]
            return changes
        }
    }

    @Test(arguments: everyEngine)
    func `are not seen by a context that is pinned to an earlier state`(
        _ type: StoreType
    ) throws {
        let stack = try ItemStack(type)
        try insert(["x", "y"], in: stack)
        let token = try stack.inContext { context throws in
            try context.setQueryGeneration(from: .current)
            return try #require(context.queryGenerationToken)
        }
        _ = try changeElsewhere(in: stack)

        try stack.inContext { context throws in
            try context.setQueryGeneration(from: token)
            #expect(try context.item("x")?["a"] == 1)
            #expect(try context.item("y")?["a"] == 1)
            #expect(try context.count(for: FetchRequest<ManagedObject>("Item")) == 2)
            try context.setQueryGeneration(from: .current)
            try context.refreshAllObjects()
            #expect(try context.item("x")?["a"] == 2)
            #expect(try context.item("y") == nil)
            try context.setQueryGeneration(from: nil)
            #expect(context.queryGenerationToken == nil)
        }
    }

    @Test(arguments: everyEngine)
    func `become visible to a pinned context with its own save`(_ type: StoreType) throws {
        let stack = try ItemStack(type)
        try insert(["x", "y"], in: stack)

        try stack.inContext { context throws in
            try context.setQueryGeneration(from: .current)
            _ = try changeElsewhere(in: stack)
            #expect(try context.item("y") != nil)
            _ = try context.insert("Item", ["name": "z", "code": "z"])
            try context.save()
            #expect(try context.item("y") == nil)
            #expect(try context.item("z") != nil)
        }
    }

    /// Ways to fire the fault of a single object.
    enum Firing: CaseIterable {
        case reading, list, child

        func value(of object: ManagedObject, in context: ManagedObjectContext) throws -> Value {
            switch self {
            case .reading: break
            case .list: try context.fireFaults(of: [object])
            case .child:
                let (child, id) = (ContextHandle(parent: context.handle), object.objectID)
                return try child.performAndWait { child throws in
                    child.stalenessInterval = 0
                    return try child.object(with: id)["a"]
                }
            }
            return try object["a"]
        }
    }

    @Test(arguments: everyEngine, Firing.allCases)
    func `are read once a fault's row is older than allowed`(
        _ type: StoreType, _ firing: Firing
    ) throws {
        let stack = try ItemStack(type)
        try insert(["x"], in: stack)

        try stack.inContext { context throws in
            let x = try #require(try context.item("x"))
            try context.refresh(x, mergeChanges: false)
            if firing != .child { context.stalenessInterval = 0 }
            try stack.inContext { other in
                try other.item("x")?.setValue(3, forKey: "a")
                try other.save()
            }
            #expect(try firing.value(of: x, in: context) == 3)
        }
    }
}
