import Cairn
import CairnStore
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// Calls whose deadline has passed throw an error and leave stores unchanged.
@Suite struct `A deadline that has passed` {
    private static let past = ContinuousClock.now - .seconds(1)

    private func library(_ type: StoreType) throws -> GraphStack {
        let stack = try GraphStack(type)
        try stack.inContext { context in
            let author = try context.insert("Author", ["name": "A"])
            let book = try context.insert("Book", ["title": "x"])
            try book.setValue(author, forKey: "author")
            try context.save()
        }
        return stack
    }

    /// Returns whether the body throws `.deadlineExceeded`.
    private static func isExceeded(_ body: () throws -> Void) throws -> Bool {
        do {
            try body()
            return false
        } catch GraphError.store(.deadlineExceeded) {
            return true
        }
    }

    @Test(arguments: everyEngine)
    func `ends a fetch and a count`(_ type: StoreType) throws {
        try library(type).inContext { context in
            var late = try FetchRequest<ManagedObject>("Book", where: "title == 'x'")
            late.timeout = .seconds(-1)
            let request = late
            let isExceeded = try [
                Self.isExceeded { _ = try context.fetch(request) },
                Self.isExceeded { _ = try context.count(for: request) },
                Self.isExceeded { _ = try context.fetchIDs(request) },
                Self.isExceeded { _ = try context.fetchDictionaries(request) },
            ]
            var inTime = request
            inTime.timeout = .seconds(3600)

            #expect(!isExceeded.contains(false))
            #expect(try context.count(for: inTime) == 1)
            #expect(try context.fetch(inTime).count == 1)
        }
    }

    @Test(arguments: everyEngine)
    func `ends the faults and relationships that are fired`(_ type: StoreType) throws {
        let stack = try library(type)
        try stack.reopen()
        try stack.inContext { context in
            var faults = FetchRequest<ManagedObject>("Author")
            faults.returnsObjectsAsFaults = true
            let author = try context.fetch(faults)[0]

            let isExceeded = try StoreDeadline.with(Self.past) { () throws(any Error) in
                try [
                    type == "InMemory"
                        || Self.isExceeded { _ = try author.value(forKey: "name") as? String },
                    Self.isExceeded { _ = try author.objectIDs(forRelationshipNamed: "books") },
                ]
            }

            #expect(!isExceeded.contains(false))
            #expect(try author.value(forKey: "name") as? String == "A")
            #expect(try author.objectIDs(forRelationshipNamed: "books").count == 1)
        }
    }

    @Test(arguments: everyEngine)
    func `ends a save before it begins, and the next one succeeds`(_ type: StoreType) throws {
        let stack = try library(type)
        try stack.inContext { context in
            let book = try context.only("Book")
            try book.setValue("y", forKey: "title")

            let isExceeded = try StoreDeadline.with(Self.past) { () throws(any Error) in
                try Self.isExceeded { try context.save() }
            }

            #expect(isExceeded)
            #expect(context.hasChanges)
            try context.save()
        }
        let title = try stack.inContext { try $0.only("Book").value(forKey: "title") as? String }
        #expect(title == "y")
    }

    @Test(arguments: everyEngine)
    func `is checked by the engine itself`(_ type: StoreType) throws {
        let stack = try library(type)
        let store = try #require(stack.coordinator.persistentStores.first)
        let entity = try #require(stack.model.entity(named: "Book"))
        let snapshot = try store.snapshot()
        let plan = FetchPlan(entity: entity)

        let calls: [() throws -> Void] = [
            { _ = try snapshot.cursor(plan).next(atMost: 1) }, { _ = try snapshot.count(plan) },
            { _ = try snapshot.rows(for: []) }, { try store.beginSave().rollback() },
        ]
        let isExceeded = try StoreDeadline.with(Self.past) { () throws(any Error) in
            try calls.map { call in
                do {
                    try call()
                    return false
                } catch StoreError.deadlineExceeded {
                    return true
                }
            }
        }

        #expect(!isExceeded.contains(false))
    }

    @Test func `applies until its body returns, and the earlier one takes precedence`() throws {
        let later = ContinuousClock.now + .seconds(3600)
        let latest = later + .seconds(1)

        let deadlines = StoreDeadline.with(later) {
            [StoreDeadline.with(latest) { StoreDeadline.current }, StoreDeadline.current]
        }

        #expect(deadlines == [later, later])
        #expect(StoreDeadline.current == nil)
    }
}
