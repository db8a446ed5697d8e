import CairnMemory
import CairnModel
import CairnStore
import CairnTestSupport
import Foundation
import StackSupport
import Testing

@testable import CairnObjects
@testable import CairnStack

@Suite struct `Notifications of a context` {
    private typealias Key = ManagedObjectContext.NotificationKey

    private let stack: MusicStack
    private let context: ManagedObjectContext

    init() throws {
        stack = try MusicStack()
        context = try stack.context()
    }

    private func tags(_ names: String...) throws -> [ManagedObject] {
        try names.map { name in
            let tag = try context.insertNewObject(forEntityName: "Tag")
            try tag.setValue(name, forKey: "name")
            return tag
        }
    }

    private func objects(_ key: Key, in notification: Notification?) -> Set<ManagedObject>? {
        notification?.userInfo?[key.rawValue] as? Set<ManagedObject>
    }

    private func ids(_ key: Key, in notification: Notification?) -> Set<ObjectID>? {
        notification?.userInfo?[key.rawValue] as? Set<ObjectID>
    }

    @Test func `are posted in the order of a save's steps`() throws {
        let names = [
            ManagedObjectContext.didChangeObjectsNotification,
            ManagedObjectContext.willSaveObjectsNotification,
            ManagedObjectContext.didSaveObjectsNotification,
            ManagedObjectContext.didSaveObjectIDsNotification,
        ]
        let log = NotificationLog(names, from: context)
        _ = try tags("a")

        try context.save()

        #expect(log.names == names)
    }

    @Test func `of an event carry the objects, but no empty sets`() throws {
        let old = try tags("a", "b")
        try context.save()
        let log = NotificationLog(
            [ManagedObjectContext.didChangeObjectsNotification], from: context)

        let new = try tags("c")
        try old[0].setValue("x", forKey: "name")
        context.processPendingChanges()
        try context.delete(old[1])
        context.processPendingChanges()

        #expect(log.notifications.count == 2)
        #expect(objects(.insertedObjects, in: log.notifications.first) == Set(new))
        #expect(objects(.updatedObjects, in: log.notifications.first) == [old[0]])
        #expect(objects(.deletedObjects, in: log.notifications.first) == nil)
        #expect(objects(.deletedObjects, in: log.notifications.last) == [old[1]])
    }

    @Test func `of a save carry the objects with their permanent IDs`() throws {
        let old = try tags("a", "b")
        try context.save()
        let log = NotificationLog(
            [
                ManagedObjectContext.didSaveObjectsNotification,
                ManagedObjectContext.didSaveObjectIDsNotification,
            ], from: context)
        let doomed = old[1].objectID
        let new = try tags("c")
        try old[0].setValue("x", forKey: "name")
        try context.delete(old[1])

        try context.save()
        let (byObject, byID) = (log.notifications.first, log.notifications.last)

        #expect(objects(.insertedObjects, in: byObject) == Set(new))
        #expect(objects(.updatedObjects, in: byObject) == [old[0]])
        #expect(objects(.deletedObjects, in: byObject) == [old[1]])
        #expect(ids(.insertedObjectIDs, in: byID) == Set(new.map(\.objectID)))
        #expect(new.allSatisfy { !$0.objectID.isTemporary })
        #expect(ids(.updatedObjectIDs, in: byID) == [old[0].objectID])
        #expect(ids(.deletedObjectIDs, in: byID) == [doomed])
    }

    @Test func `let an observer change what is about to be saved`() throws {
        let tag = try tags("a")[0]
        let observer = NotificationCenter.default.addObserver(
            forName: ManagedObjectContext.willSaveObjectsNotification, object: context, queue: nil
        ) { note in
            let context = note.object as? ManagedObjectContext
            for tag in context?.insertedObjects ?? [] { try? tag.setValue("z", forKey: "name") }
        }
        defer { NotificationCenter.default.removeObserver(observer) }

        try context.save()
        let seen = try stack.context().existingObject(with: tag.objectID)

        #expect(try seen["name"] == "z")
    }

    @Test func `are not posted for a save that fails or has nothing to do`() throws {
        let log = NotificationLog(
            [
                ManagedObjectContext.didSaveObjectsNotification,
                ManagedObjectContext.didSaveObjectIDsNotification,
            ], from: context)
        try context.save()
        _ = try context.insertNewObject(forEntityName: "Artist")

        #expect(throws: GraphError.self) { try context.save() }

        #expect(log.notifications.isEmpty)
    }

    @Test func `of a reset say that all objects are invalid`() throws {
        let log = NotificationLog(
            [ManagedObjectContext.didChangeObjectsNotification], from: context)

        context.reset()

        #expect(
            log.notifications.first?.userInfo?[Key.invalidatedAllObjects.rawValue] as? Bool == true)
    }

    @Test func `of a refresh name the objects`() throws {
        let tag = try tags("a")[0]
        try context.save()
        let log = NotificationLog(
            [ManagedObjectContext.didChangeObjectsNotification], from: context)

        try context.refresh(tag, mergeChanges: true)
        context.processPendingChanges()

        #expect(objects(.refreshedObjects, in: log.notifications.first) == [tag])
    }

    @Test func `of a merge carry IDs`() throws {
        let tag = try tags("a")[0]
        let log = NotificationLog(
            [ManagedObjectContext.didMergeChangesObjectIDsNotification], from: context)
        var changes = ObjectIDChanges()
        changes.inserted = [tag.objectID]

        context.observers.announceMerge(changes)

        #expect(ids(.insertedObjectIDs, in: log.notifications.first) == [tag.objectID])
        #expect(ids(.updatedObjectIDs, in: log.notifications.first) == nil)
    }

    @Test func `are not created before somebody asks for their name`() {
        let name = ObservableName("CairnTestsNobodyAskedFor")
        var count = 0
        let make: () -> [AnyHashable: Any] = {
            count += 1
            return [:]
        }

        name.post(from: context, make)
        let before = count
        _ = name.observed
        name.post(from: context, make)

        #expect(before == 0)
        #expect(count == 1)
    }
}

@Suite struct `Notifications of a coordinator` {
    private typealias Key = PersistentStoreCoordinator.NotificationKey

    private let coordinator: PersistentStoreCoordinator

    init() throws {
        coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel(MusicStack.entities),
            registry: StoreRegistry([InMemoryStore.self]))
    }

    private func log() -> NotificationLog {
        NotificationLog(
            [
                PersistentStoreCoordinator.storesWillChangeNotification,
                PersistentStoreCoordinator.storesDidChangeNotification,
            ], from: coordinator)
    }

    private func stores(_ key: Key, in notification: Notification?) -> [any PersistentStore] {
        notification?.userInfo?[key.rawValue] as? [any PersistentStore] ?? []
    }

    @Test func `are posted before and after a store is added`() throws {
        let log = log()

        let store = try coordinator.addPersistentStore(ofType: "InMemory")

        #expect(
            log.names == [
                PersistentStoreCoordinator.storesWillChangeNotification,
                PersistentStoreCoordinator.storesDidChangeNotification,
            ])
        #expect(stores(.addedStores, in: log.notifications.last).first === store)
        #expect(stores(.removedStores, in: log.notifications.last).isEmpty)
    }

    @Test func `are posted before and after a store is removed, also to the store's observers`()
        throws
    {
        let store = try coordinator.addPersistentStore(ofType: "InMemory")
        let log = log()
        let ofStore = NotificationLog(
            [PersistentStoreCoordinator.willRemoveStoreNotification], from: store)

        try coordinator.remove(store)

        #expect(log.names.count == 2)
        #expect(stores(.removedStores, in: log.notifications.last).first === store)
        #expect(ofStore.notifications.count == 1)
    }
}
