import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

@Suite struct `A results controller on every engine` {
    @Test(arguments: everyEngine)
    func `reports insertions, deletions, moves and updates`(_ type: StoreType) throws {
        let log = try GraphStack(type).following(sortedBy: "title") { context in
            let books = try ["b", "d", "f"].map { try context.insert("Book", ["title": $0]) }
            context.processPendingChanges()
            try context.delete(books[0])
            try books[1].setValue("g", forKey: "title")
            try books[2].setValue(7, forKey: "pages")
            _ = try context.insert("Book", ["title": "a"])
        }

        #expect(
            log == [
                ["+ b 0.0", "+ d 0.1", "+ f 0.2"],
                ["- b 0.0", "+ a 0.0", "> g 0.1 0.2", "~ f 0.2 0.1"],
            ])
    }

    @Test(arguments: everyEngine)
    func `reports sections that appear and disappear with their objects`(_ type: StoreType) throws {
        let log = try GraphStack(type).following(sortedBy: "title", section: "title") { context in
            let book = try context.insert("Book", ["title": "a"])
            _ = try context.insert("Book", ["title": "c"])
            context.processPendingChanges()
            try book.setValue("d", forKey: "title")
        }

        #expect(
            log == [
                ["section + a 0", "section + c 1", "+ a 0.0", "+ c 1.0"],
                ["section - a 0", "section + d 1", "> d 0.0 1.0"],
            ])
    }

    @Test(arguments: everyEngine)
    func `reports nothing about objects that do not match or of other entities`(
        _ type: StoreType
    ) throws {
        let log = try GraphStack(type).following(sortedBy: "title", where: "pages > 5") { context in
            _ = try context.insert("Book", ["title": "a", "pages": 1])
            _ = try context.insert("Genre", ["name": "b"])
        }

        #expect(log.isEmpty)
    }

    @Test(arguments: everyEngine)
    func `reports an object that begins to match as inserted`(_ type: StoreType) throws {
        let log = try GraphStack(type).following(sortedBy: "title", where: "pages > 5") { context in
            let book = try context.insert("Book", ["title": "a", "pages": 1])
            context.processPendingChanges()
            try book.setValue(6, forKey: "pages")
            context.processPendingChanges()
            try book.setValue(2, forKey: "pages")
        }

        #expect(log == [["+ a 0.0"], ["- a 0.0"]])
    }

    @Test(arguments: everyEngine)
    func `follows a change of a related object that it reads, once it is saved`(
        _ type: StoreType
    ) throws {
        let log = try GraphStack(type).following(sortedBy: "title", where: "author.name == 'A'") {
            context in
            let author = try context.insert("Author", ["name": "A"])
            let book = try context.insert("Book", ["title": "a"])
            try book.setValue(author, forKey: "author")
            try context.save()
            try author.setValue("B", forKey: "name")
            try context.save()
        }

        #expect(log.last == ["- a 0.0"])
    }

    @Test(arguments: everyEngine)
    func `adds the object after a page when one of the page is deleted`(_ type: StoreType) throws {
        let log = try GraphStack(type).following(sortedBy: "title", limit: 2) { context in
            let books = try ["a", "b", "c"].map { try context.insert("Book", ["title": $0]) }
            context.processPendingChanges()
            try context.delete(books[0])
        }

        #expect(log == [["+ a 0.0", "+ b 0.1"], ["- a 0.0", "+ c 0.1"]])
    }

    @Test(arguments: everyEngine)
    func `adds objects that another context saved, once they are merged`(_ type: StoreType) throws {
        let stack = try GraphStack(type)
        let coordinator = stack.coordinator
        let log = try stack.following(sortedBy: "title") { context in
            var changes = ObjectIDChanges()
            changes.inserted = try ContextHandle(coordinator: coordinator).performAndWait { other in
                let book = try other.insert("Book", ["title": "a"])
                try other.save()
                return [book.objectID]
            }
            try context.mergeChanges(changes)
        }

        #expect(log == [["+ a 0.0"]])
    }

    @Test(arguments: everyEngine)
    func `delivers each change to tasks that await them`(_ type: StoreType) async throws {
        let stack = try GraphStack(type)
        let handle = ContextHandle(coordinator: stack.coordinator)
        let changes = try await handle.perform { context in
            let controller = FetchedResultsController(
                fetchRequest: .books(sortedBy: "title"), managedObjectContext: context)
            try controller.performFetch()
            let changes = controller.changes
            _ = try context.insert("Book", ["title": "a"])
            context.processPendingChanges()
            _ = try context.insert("Book", ["title": "b"])
            context.processPendingChanges()
            return changes
        }

        var counts: [Int] = []
        for await change in changes { counts.append(change.snapshot.objectIDs.count) }

        // The controller was deallocated with its turn, which ended the stream.
        #expect(counts == [1, 2])
    }

    @Test func `gives each section a title and finds the section of a title`() throws {
        let found = try GraphStack(.inMemory).inContext { context in
            for title in ["apple", "avocado", "banana"] {
                _ = try context.insert("Book", ["title": title])
            }
            let controller = FetchedResultsController(
                fetchRequest: .books(sortedBy: "title"), managedObjectContext: context,
                sectionNameKeyPath: "title")
            try controller.performFetch()
            return (
                controller.sectionIndexTitles, controller.section(forSectionIndexTitle: "B"),
                controller.sections?.map(\.name)
            )
        }

        #expect(found.0 == ["A", "B"])
        #expect(found.1 == 2)
        #expect(found.2 == ["apple", "avocado", "banana"])
    }

    @Test func `has one empty section if it has no path for section names`() throws {
        let counts = try GraphStack(.inMemory).inContext { context in
            let controller = FetchedResultsController(
                fetchRequest: .books(sortedBy: "title"), managedObjectContext: context)
            try controller.performFetch()
            return controller.sections?.map(\.numberOfObjects)
        }

        #expect(counts == [0])
    }

    @Test func `refuses a request without sort descriptors`() throws {
        try GraphStack(.inMemory).inContext { context in
            let controller = FetchedResultsController(
                fetchRequest: FetchRequest<ManagedObject>("Book"), managedObjectContext: context)

            let error = #expect(throws: GraphError.self) { try controller.performFetch() }

            #expect(error?.description.contains("sort descriptor") == true)
        }
    }
}

extension FetchRequest where Result == ManagedObject {
    fileprivate static func books(sortedBy key: String) -> FetchRequest {
        var request = FetchRequest("Book")
        request.sortDescriptors = [FetchSortDescriptor(key)]
        return request
    }
}

extension GraphStack {
    /// Runs the body under a controller, and returns the calls to its delegate as one list for each round.
    fileprivate func following(
        sortedBy key: String, where format: String? = nil, section: String? = nil, limit: Int = 0,
        _ body: @Sendable (ManagedObjectContext) throws -> Void
    ) throws -> [[String]] {
        try inContext { context in
            var request = FetchRequest<ManagedObject>.books(sortedBy: key)
            if let format { request.predicate = try FetchPredicate(format: format) }
            request.fetchLimit = limit
            let controller = FetchedResultsController(
                fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: section)
            let log = ResultsLog()
            controller.delegate = log
            try controller.performFetch()
            try body(context)
            context.processPendingChanges()
            return log.rounds
        }
    }
}
