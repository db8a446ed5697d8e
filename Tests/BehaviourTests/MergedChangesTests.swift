import Cairn
import Foundation
import GraphSupport
import Testing

@Suite struct `Changes merged from elsewhere` {
    private struct Setting {
        let stack: StudioStack
        let handle: ContextHandle
        let ids: [ObjectID]
    }

    /// Creates authors “a”, “b” and “c”, and a handle whose context retains the objects that it
    /// reads.
    private func setting(_ type: StoreType) throws -> Setting {
        let stack = try Library.stack(type)
        let ids = try stack.inContext { context throws in
            let authors = try ["a", "b", "c"].map { try context.insert("Author", ["name": $0]) }
            try context.save()
            return authors.map(\.objectID)
        }
        let handle = ContextHandle(coordinator: stack.coordinator)
        try handle.performAndWait { $0.retainsRegisteredObjects = true }
        return Setting(stack: stack, handle: handle, ids: ids)
    }

    /// Deletes “a”, renames “b” and inserts “d” in another context. Returns the saved changes.
    private func changeElsewhere(_ setting: Setting) throws -> ObjectIDChanges {
        try setting.stack.inContext { context throws in
            try context.delete(try context.existingObject(with: setting.ids[0]))
            try context.existingObject(with: setting.ids[1]).setValue("bb", forKey: "name")
            let new = try context.insert("Author", ["name": "d"])
            try context.save()
            var changes = ObjectIDChanges()
            changes.deleted = [setting.ids[0]]
            changes.updated = [setting.ids[1]]
            changes.inserted = [new.objectID]
            return changes
        }
    }

    private static func request() -> FetchRequest<ManagedObject> {
        var request = FetchRequest<ManagedObject>("Author")
        request.sortDescriptors = [FetchSortDescriptor("name")]
        return request
    }

    @Test(arguments: chosenEngines)
    func `are one round of a results controller`(_ type: StoreType) throws {
        let setting = try setting(type)
        try setting.handle.performAndWait { context throws in
            let controller = FetchedResultsController(
                fetchRequest: Self.request(), managedObjectContext: context)
            let log = ResultsLog()
            controller.delegate = log
            try controller.performFetch()

            try context.mergeChanges(try changeElsewhere(setting))

            #expect(log.rounds.count == 1)
            #expect(log.rounds.first?.count == 3)
            #expect(try controller.fetchedObjects?.map { try $0["name"] } == ["bb", "c", "d"])
        }
    }

    @Test(arguments: chosenEngines)
    func `are one element of a controller's stream`(_ type: StoreType) async throws {
        let setting = try setting(type)
        let changes = try setting.handle.performAndWait { context throws in
            let controller = FetchedResultsController(
                fetchRequest: Self.request(), managedObjectContext: context)
            try controller.performFetch()
            let changes = controller.changes
            try context.mergeChanges(try changeElsewhere(setting))
            return changes
        }

        var counts: [Int] = []
        for await change in changes { counts.append(change.objects.count) }
        #expect(counts == [3])
    }

    @Test(arguments: chosenEngines)
    func `are one round if they are merged automatically`(_ type: StoreType)
        async throws
    {
        let setting = try setting(type)
        let log = try await setting.handle.perform { context throws in
            context.automaticallyMergesChangesFromParent = true
            let controller = FetchedResultsController(
                fetchRequest: Self.request(), managedObjectContext: context)
            let log = ResultsLog()
            controller.delegate = log
            try controller.performFetch()
            _ = try changeElsewhere(setting)
            // The next call picks up changes that other contexts saved.
            _ = try context.fetch(Self.request()) as [ManagedObject]
            context.processPendingChanges()
            return log.rounds.map(\.count)
        }

        #expect(log == [3])
    }

    @Test(arguments: chosenEngines)
    func `that only insert reach a controller`(_ type: StoreType) throws {
        let setting = try setting(type)
        try setting.handle.performAndWait { context throws in
            let controller = FetchedResultsController(
                fetchRequest: Self.request(), managedObjectContext: context)
            let log = ResultsLog()
            controller.delegate = log
            try controller.performFetch()
            var changes = try changeElsewhere(setting)
            changes.deleted = []
            changes.updated = []

            try context.mergeChanges(changes)

            #expect(log.rounds.count == 1)
        }
    }

    @Test(arguments: chosenEngines)
    func `that insert are reported by the did-change notification`(_ type: StoreType) throws {
        let setting = try setting(type)
        try setting.handle.performAndWait { context throws in
            let inbox = NotificationInbox(
                ManagedObjectContext.didChangeObjectsNotification, of: context)
            let changes = try changeElsewhere(setting)

            try context.mergeChanges(changes)

            let told = inbox.objects(.insertedObjects)
            #expect(Set(told.map(\.objectID)) == changes.inserted)
            #expect(try told.first?["name"] == "d")
            #expect(told.first?.isInserted == false)
            #expect(!context.hasChanges)
        }
    }

    @Test(arguments: chosenEngines)
    func `that insert are reported by the stream of changes`(_ type: StoreType) async throws {
        let setting = try setting(type)
        let stream = setting.handle.changes
        let changes = try changeElsewhere(setting)
        try setting.handle.performAndWait { try $0.mergeChanges(changes) }

        var iterator = stream.makeAsyncIterator()
        let told = await iterator.next()
        #expect(told?.inserted == changes.inserted)
    }

    @Test(arguments: chosenEngines)
    func `that delete leave the object deleted and without a context`(_ type: StoreType) throws {
        let setting = try setting(type)
        try setting.handle.performAndWait { context throws in
            let author = try context.existingObject(with: setting.ids[0])

            try context.mergeChanges(try changeElsewhere(setting))

            #expect(author.isDeleted)
            #expect(!author.hasChanges)
            #expect(!context.hasChanges)
            #expect(context.deletedObjects.isEmpty)
            #expect(context.registeredObject(for: setting.ids[0]) == nil)
        }
    }

    @Test(arguments: chosenEngines)
    func `that delete are reported by the did-change notification`(_ type: StoreType) throws {
        let setting = try setting(type)
        try setting.handle.performAndWait { context throws in
            let author = try context.existingObject(with: setting.ids[0])
            let inbox = NotificationInbox(
                ManagedObjectContext.didChangeObjectsNotification, of: context)

            try context.mergeChanges(try changeElsewhere(setting))

            #expect(inbox.objects(.deletedObjects) == [author])
        }
    }

    @Test(arguments: chosenEngines)
    func `have refreshed IDs in the merge notification`(_ type: StoreType) throws {
        let setting = try setting(type)
        try setting.handle.performAndWait { context throws in
            let authors = try context.fetch(Self.request()) as [ManagedObject]
            let inbox = NotificationInbox(
                ManagedObjectContext.didMergeChangesObjectIDsNotification, of: context)
            let changes = try changeElsewhere(setting)

            try context.mergeChanges(changes)

            #expect(inbox.ids(.refreshedObjectIDs) == [setting.ids[1]])
            #expect(inbox.ids(.insertedObjectIDs) == changes.inserted)
            #expect(inbox.ids(.deletedObjectIDs) == [setting.ids[0]])
            #expect(authors.count == 3)
        }
    }

    @Test(arguments: chosenEngines)
    func `keep unsaved changes on top`(_ type: StoreType) throws {
        let setting = try setting(type)
        try setting.handle.performAndWait { context throws in
            let author = try context.existingObject(with: setting.ids[1])
            try author.setValue("mine", forKey: "name")

            try context.mergeChanges(try changeElsewhere(setting))

            #expect(try author["name"] == "mine")
            #expect(author.committedValues(forKeys: ["name"]) == ["name": "bb"])
            #expect(author.isUpdated)
        }
    }

    @Test(arguments: chosenEngines)
    func `are not reported again when they are merged twice`(_ type: StoreType) throws {
        let setting = try setting(type)
        try setting.handle.performAndWait { context throws in
            let controller = FetchedResultsController(
                fetchRequest: Self.request(), managedObjectContext: context)
            let log = ResultsLog()
            controller.delegate = log
            try controller.performFetch()
            let changes = try changeElsewhere(setting)
            try context.mergeChanges(changes)
            let names = try controller.fetchedObjects?.map { try $0["name"] }

            try context.mergeChanges(changes)

            #expect(try controller.fetchedObjects?.map { try $0["name"] } == names)
            #expect(log.rounds.dropFirst().allSatisfy { $0.allSatisfy { $0.hasPrefix("~") } })
        }
    }

    @Test(arguments: chosenEngines)
    func `of the context's own save are not reported`(_ type: StoreType) throws {
        let setting = try setting(type)
        try setting.handle.performAndWait { context throws in
            nonisolated(unsafe) var own: Notification?
            let observer = NotificationCenter.default.addObserver(
                forName: ManagedObjectContext.didSaveObjectsNotification, object: context,
                queue: nil
            ) { own = $0 }
            _ = try context.insert("Author", ["name": "own"])
            try context.save()
            NotificationCenter.default.removeObserver(observer)
            let inbox = NotificationInbox(
                ManagedObjectContext.didChangeObjectsNotification, of: context)

            try context.mergeChanges(fromContextDidSave: try #require(own))

            #expect(inbox.count == 0)
        }
    }
}
