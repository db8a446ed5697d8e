import CairnModel
import Dispatch
import Foundation
import StackSupport
import Testing

@testable import CairnObjects
@testable import CairnStack

/// Contexts that are created first and receive their coordinator or parent later.
@Suite struct `A context that is connected later` {
    private var books: FetchRequest<ManagedObject> { FetchRequest("Book") }

    private func stack() throws -> LibraryStack {
        let stack = try LibraryStack()
        try stack.add()
        return stack
    }

    private func insertBook(_ title: String, into context: ManagedObjectContext) throws {
        try context.insertNewObject(forEntityName: "Book").setValue(title, forKey: "title")
    }

    private func expectNotConnected(_ body: () throws -> Void) {
        #expect(
            performing: body,
            throws: { error in
                if case GraphError.notConnected = error { true } else { false }
            })
    }

    private func expectConnectedTwice(_ body: () throws -> Void) {
        #expect(
            performing: body,
            throws: { error in
                if case GraphError.connectedTwice = error { true } else { false }
            })
    }

    // MARK: The coordinator

    @Test @MainActor func `throws until its coordinator is set, and works then`() throws {
        let stack = try stack()
        let context = ManagedObjectContext(concurrencyType: .mainQueue)

        let before = context.persistentStoreCoordinator
        expectNotConnected { _ = try context.count(for: books) }
        expectNotConnected { try insertBook("Emma", into: context) }
        context.persistentStoreCoordinator = stack.coordinator
        try insertBook("Emma", into: context)
        try context.save()

        #expect(before == nil)
        #expect(context.persistentStoreCoordinator === stack.coordinator)
        #expect(context.managedObjectModel === stack.model)
        #expect(try context.count(for: books) == 1)
    }

    @Test func `works on the coordinator's threads if it has a private queue`() async throws {
        let stack = try stack()
        let context = ManagedObjectContext(concurrencyType: .privateQueue)
        let handle = context.handle
        context.persistentStoreCoordinator = stack.coordinator
        let books = books

        let isOnExecutor = try await handle.perform { [executor = stack.coordinator.executor] in
            try $0.insertNewObject(forEntityName: "Book")
            try $0.save()
            return executor.isCurrent
        }

        #expect(isOnExecutor)
        #expect(handle.executor === stack.coordinator.executor)
        #expect(try context.performAndWait { try context.count(for: books) } == 1)
    }

    @Test @MainActor func `keeps its coordinator when the same one is set again`() throws {
        let stack = try stack()
        let context = ManagedObjectContext(coordinator: stack.coordinator)

        context.persistentStoreCoordinator = stack.coordinator

        #expect(try context.count(for: books) == 0)
    }

    @Test @MainActor func `throws from each call after another coordinator was set`() throws {
        let stack = try stack()
        let context = ManagedObjectContext(concurrencyType: .mainQueue)
        context.persistentStoreCoordinator = stack.coordinator
        try insertBook("Emma", into: context)
        try context.save()
        try insertBook("Persuasion", into: context)

        context.persistentStoreCoordinator = try self.stack().coordinator

        expectConnectedTwice { _ = try context.count(for: books) }
        expectConnectedTwice { try insertBook("Sanditon", into: context) }
        expectConnectedTwice { try context.save() }
        #expect(context.persistentStoreCoordinator == nil)
        #expect(
            try ContextHandle(coordinator: stack.coordinator).performAndWait {
                try $0.count(for: FetchRequest<ManagedObject>("Book"))
            } == 1)
    }

    @Test @MainActor func `throws after its coordinator was taken away`() throws {
        let context = ManagedObjectContext(coordinator: try stack().coordinator)

        context.persistentStoreCoordinator = nil

        expectConnectedTwice { _ = try context.count(for: books) }
    }

    @Test func `is notified of saves by other contexts`() throws {
        let stack = try stack()
        let context = ManagedObjectContext(concurrencyType: .privateQueue)
        context.persistentStoreCoordinator = stack.coordinator
        let title = try context.performAndWait { () -> String? in
            context.automaticallyMergesChangesFromParent = true
            try insertBook("Emma", into: context)
            try context.save()
            let book = try #require(try context.fetch(books).first as ManagedObject?)
            try ContextHandle(coordinator: stack.coordinator).performAndWait { other in
                let results: FetchResults<ManagedObject> = try other.fetch(FetchRequest("Book"))
                try results[0].setValue("Persuasion", forKey: "title")
                try other.save()
            }
            _ = try context.count(for: books)
            return try book.value(forKey: "title") as? String
        }

        #expect(title == "Persuasion")
    }

    @Test func `of the main queue may be created and connected on another thread`() async throws {
        let stack = try stack()
        let coordinator = stack.coordinator

        let count = try await withCheckedThrowingContinuation { done in
            DispatchQueue.global().async {
                let context = ManagedObjectContext(concurrencyType: .mainQueue)
                context.persistentStoreCoordinator = coordinator
                let handle = context.handle
                DispatchQueue.main.async {
                    done.resume(
                        with: Result {
                            try handle.performAndWait {
                                try $0.count(for: FetchRequest<ManagedObject>("Book"))
                            }
                        })
                }
            }
        }

        #expect(count == 0)
    }

    // MARK: The parent

    @Test @MainActor func `of the main queue saves to a parent of a private queue`() throws {
        let stack = try stack()
        let root = ManagedObjectContext(concurrencyType: .privateQueue)
        root.persistentStoreCoordinator = stack.coordinator
        let main = ManagedObjectContext(concurrencyType: .mainQueue)
        main.parent = root

        try insertBook("Emma", into: main)
        try main.save()
        let rootHasChanges = try root.performAndWait { root.hasChanges }
        try root.performAndWait { try root.save() }

        #expect(main.parent === root)
        #expect(main.persistentStoreCoordinator === stack.coordinator)
        #expect(rootHasChanges)
        #expect(try main.count(for: books) == 1)
        #expect(try main.fetch(books).first.map { !$0.objectID.isTemporary } == true)
    }

    @Test @MainActor func `of a private queue saves to a parent of the main queue`() throws {
        let stack = try stack()
        let main = ManagedObjectContext(coordinator: stack.coordinator)
        let child = ManagedObjectContext(concurrencyType: .privateQueue)
        child.parent = main

        try child.performAndWait {
            try insertBook("Emma", into: child)
            try child.save()
        }

        #expect(main.insertedObjects.count == 1)
    }

    @Test @MainActor func `may have a parent that is connected after it`() throws {
        let stack = try stack()
        let root = ManagedObjectContext(concurrencyType: .privateQueue)
        let main = ManagedObjectContext(concurrencyType: .mainQueue)
        let child = ManagedObjectContext(concurrencyType: .privateQueue)
        child.parent = main
        main.parent = root

        expectNotConnected { _ = try main.count(for: books) }
        expectNotConnected {
            try child.performAndWait { try insertBook("Emma", into: child) }
        }
        root.persistentStoreCoordinator = stack.coordinator
        try child.performAndWait {
            try insertBook("Emma", into: child)
            try child.save()
        }
        try main.save()

        #expect(child.persistentStoreCoordinator === stack.coordinator)
        #expect(try root.performAndWait { root.insertedObjects.count } == 1)
    }

    @Test @MainActor func `takes its parent's classes`() throws {
        let stack = try stack()
        let main = ManagedObjectContext(
            coordinator: stack.coordinator, classes: ObjectClasses([Book.self]))
        let child = ManagedObjectContext(concurrencyType: .mainQueue)

        child.parent = main

        #expect(try child.insertNewObject(forEntityName: "Book") is Book)
    }

    @Test @MainActor
    func `throws after its parent was replaced, or after a parent was added to a coordinator`()
        throws
    {
        let stack = try stack()
        let roots = (0..<2).map { _ in
            let root = ManagedObjectContext(concurrencyType: .privateQueue)
            root.persistentStoreCoordinator = stack.coordinator
            return root
        }
        let child = ManagedObjectContext(concurrencyType: .mainQueue)
        child.parent = roots[0]
        let connected = ManagedObjectContext(coordinator: stack.coordinator)

        child.parent = roots[1]
        connected.parent = roots[0]

        expectConnectedTwice { _ = try child.count(for: books) }
        expectConnectedTwice { _ = try connected.count(for: books) }
    }

    @Test @MainActor func `cannot be a parent of itself`() throws {
        let first = ManagedObjectContext(concurrencyType: .mainQueue)
        let second = ManagedObjectContext(concurrencyType: .mainQueue)
        second.parent = first

        first.parent = second

        expectConnectedTwice { _ = try first.count(for: books) }
        #expect(first.persistentStoreCoordinator == nil)
        #expect(second.persistentStoreCoordinator == nil)
    }

    private final class Book: ManagedObject {}
}
