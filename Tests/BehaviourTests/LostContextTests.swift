import Cairn
import Foundation
import GraphFixtures
import Testing

/// What calls that can throw do about an object that belongs to no context any more.
@Suite struct `An object without a context` {
    /// How an object came to have none.
    enum Loss: CaseIterable, Sendable {
        case contextReleased, contextReset, deletionSaved
    }

    /// A stored author as a fault, and a book of his, after their context was lost.
    private func lost(
        _ loss: Loss, _ type: StoreType,
        _ body: (ManagedObject) throws -> Void
    ) throws {
        let stack = try Library.stack(type)
        let id = try stack.inContext { context throws in
            let author = try context.insert("Author", ["name": "A"])
            _ = try context.insert("Book", ["title": "b", "author": author])
            try context.save()
            return author.objectID
        }
        let holder = Holder()
        do {
            let handle = ContextHandle(coordinator: stack.coordinator)
            try handle.performAndWait { context throws in
                holder.object = try context.object(with: id)
                switch loss {
                case .contextReleased: break
                case .contextReset: context.reset()
                case .deletionSaved:
                    try context.delete(holder.object!)
                    try context.save()
                }
            }
        }
        try body(try #require(holder.object))
    }

    private final class Holder: @unchecked Sendable {
        // Unchecked: used by one thread, in one test.
        var object: ManagedObject?
    }

    private func expectGone(_ call: () throws -> Any?) {
        let error = #expect(throws: GraphError.self) { _ = try call() }
        guard case .objectGone = error else {
            Issue.record("not gone: \(String(describing: error))")
            return
        }
    }

    @Test(arguments: chosenEngines, Loss.allCases)
    func `throws when an attribute is read`(_ type: StoreType, _ loss: Loss) throws {
        try lost(loss, type) { author throws in
            expectGone { try author["name"] }
            expectGone { try author.value(forKey: "name") }
            expectGone { try author.value(forKeyPath: "name") }
        }
    }

    @Test(arguments: chosenEngines, Loss.allCases)
    func `throws when a to-one is read`(_ type: StoreType, _ loss: Loss) throws {
        try lost(loss, type) { author throws in
            expectGone { try author["mentor"] }
            expectGone { try author.value(forKey: "mentor") }
            expectGone { try author.value(forKeyPath: "mentor.name") }
        }
    }

    @Test(arguments: chosenEngines, Loss.allCases)
    func `throws when a to-many is read`(_ type: StoreType, _ loss: Loss) throws {
        try lost(loss, type) { author throws in
            expectGone { try author.objectIDs(forRelationshipNamed: "books") }
            expectGone { try author.objects("books").objectIDs() }
            expectGone { try author.value(forKeyPath: "books.title") }
            expectGone { try author.value(forKeyPath: "books.@count") }
        }
    }

    @Test(arguments: chosenEngines, Loss.allCases)
    func `throws when a fetched property is read`(_ type: StoreType, _ loss: Loss) throws {
        try lost(loss, type) { author throws in expectGone { try author.value(forKey: "ownBooks") }
        }
    }

    @Test(arguments: chosenEngines, Loss.allCases)
    func `throws when a property is set`(_ type: StoreType, _ loss: Loss) throws {
        try lost(loss, type) { author throws in
            expectGone { try author.setValue("x", forKey: "name") }
            expectGone { try author.setValue("x", forKey: "mood") }
            expectGone { try author.setValue(nil, forKey: "mentor") }
            expectGone { try author.objects("books").removeAll() }
        }
    }

    @Test(arguments: chosenEngines, Loss.allCases)
    func `throws when it is asked whether a relationship is a fault`(
        _ type: StoreType, _ loss: Loss
    ) throws {
        try lost(loss, type) { author throws in
            expectGone { try author.hasFault(forRelationshipNamed: "books") }
        }
    }

    @Test(arguments: chosenEngines, Loss.allCases)
    func `still has its entity and its ID, and no changes`(_ type: StoreType, _ loss: Loss) throws {
        try lost(loss, type) { author throws in
            #expect(author.entity.name == "Author")
            #expect(!author.objectID.isTemporary)
            #expect(author.managedObjectContext == nil)
            #expect(!author.hasChanges)
        }
    }

    @Test(arguments: chosenEngines)
    func `keeps the values that it has when only its context went`(_ type: StoreType) throws {
        let stack = try Library.stack(type)
        let holder = Holder()
        try stack.inContext { context throws in
            let author = try context.insert("Author", ["name": "A"])
            try context.save()
            holder.object = author
        }
        let author = try #require(holder.object)

        #expect(author.managedObjectContext == nil)
        #expect(try author["name"] == "A")
    }
}
