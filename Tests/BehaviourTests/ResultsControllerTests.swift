import Cairn
import Foundation
import GraphSupport
import Testing

@Suite struct `A results controller` {
    /// Calls the body with a controller over the saved books “b”, “d” and “f”, sorted by title.
    private func inFollowedShelf(
        _ type: StoreType, where format: String = "TRUEPREDICATE", limit: Int = 0,
        _ body: @Sendable (ManagedObjectContext, [ManagedObject], ResultsLog) throws -> Void
    ) throws {
        try inLibrary(type) { context throws in
            let books = try ["b", "d", "f"].map { try context.insert("Book", ["title": $0]) }
            try context.save()
            var request = try FetchRequest<ManagedObject>("Book", where: format)
            request.sortDescriptors = [FetchSortDescriptor("title")]
            request.fetchLimit = limit
            let controller = FetchedResultsController(
                fetchRequest: request, managedObjectContext: context)
            let log = ResultsLog()
            controller.delegate = log
            try controller.performFetch()
            try body(context, books, log)
            context.processPendingChanges()
            let shown = try #require(controller.fetchedObjects)
            #expect(shown == (try context.fetch(request) as [ManagedObject]))
        }
    }

    @Test(arguments: chosenEngines)
    func `reports insertions, deletions, moves and updates of one event together`(
        _ type: StoreType
    ) throws {
        try inFollowedShelf(type) { context, books, log throws in
            _ = try context.insert("Book", ["title": "a"])
            try context.delete(books[0])
            try books[1].setValue("g", forKey: "title")
            try books[2].setValue(3, forKey: "pages")
            context.processPendingChanges()

            #expect(log.rounds == [["- b 0.0", "+ a 0.0", "> g 0.1 0.2", "~ f 0.2 0.1"]])
        }
    }

    @Test(arguments: chosenEngines)
    func `reports nothing at a save, except the new IDs of new objects`(
        _ type: StoreType
    ) throws {
        try inFollowedShelf(type) { context, books, log throws in
            try books[1].setValue(3, forKey: "pages")
            context.processPendingChanges()
            try context.save()

            #expect(log.rounds == [["~ d 0.1 0.1"]])
        }
    }

    @Test(arguments: chosenEngines)
    func `reports that an object begins or ceases to match`(_ type: StoreType) throws {
        try inFollowedShelf(type, where: "pages > 5") { context, books, log throws in
            try books[1].setValue(9, forKey: "pages")
            context.processPendingChanges()
            try books[1].setValue(1, forKey: "pages")
            context.processPendingChanges()

            #expect(log.rounds == [["+ d 0.0"], ["- d 0.0"]])
        }
    }

    @Test(arguments: chosenEngines)
    func `keeps to its limit`(_ type: StoreType) throws {
        try inFollowedShelf(type, limit: 2) { context, books, log throws in
            try context.delete(books[0])
            context.processPendingChanges()

            #expect(log.rounds == [["- b 0.0", "+ f 0.1"]])
        }
    }

    @Test(arguments: chosenEngines)
    func `follows an undo and a rollback`(_ type: StoreType) throws {
        try inFollowedShelf(type) { context, books, log throws in
            let manager = UndoManager()
            manager.groupsByEvent = false
            context.undoManager = manager
            try context.delete(books[0])
            context.processPendingChanges()
            context.undo()
            try books[2].setValue("a", forKey: "title")
            context.processPendingChanges()
            context.rollback()

            #expect(
                log.rounds == [["- b 0.0"], ["+ b 0.0"], ["> a 0.2 0.0"], ["> f 0.0 0.2"]])
        }
    }

    @Test(arguments: chosenEngines)
    func `is empty after a reset if nothing was saved`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            var request = FetchRequest<ManagedObject>("Book")
            request.sortDescriptors = [FetchSortDescriptor("title")]
            let controller = FetchedResultsController(
                fetchRequest: request, managedObjectContext: context)
            try controller.performFetch()
            _ = try context.insert("Book")
            context.processPendingChanges()
            let before = controller.fetchedObjects?.count
            context.reset()

            #expect(before == 1)
            #expect(controller.fetchedObjects?.isEmpty == true)
        }
    }

    @Test(arguments: chosenEngines)
    func `follows what another context saves, once that is merged`(_ type: StoreType) throws {
        let stack = try Library.stack(type)
        try stack.inContext { context throws in
            var request = FetchRequest<ManagedObject>("Book")
            request.sortDescriptors = [FetchSortDescriptor("title")]
            let controller = FetchedResultsController(
                fetchRequest: request, managedObjectContext: context)
            try controller.performFetch()
            context.automaticallyMergesChangesFromParent = true
            try stack.fill { _ = try $0.insert("Book", ["title": "a"]) }
            let before = controller.fetchedObjects?.count
            _ = try context.count(for: request)
            context.processPendingChanges()

            #expect(before == 0)
            #expect(controller.fetchedObjects?.count == 1)
        }
    }

    @Test(arguments: chosenEngines)
    func `needs sort descriptors`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let controller = FetchedResultsController(
                fetchRequest: FetchRequest<ManagedObject>("Book"), managedObjectContext: context)

            #expect(throws: GraphError.self) { try controller.performFetch() }
        }
    }
}
