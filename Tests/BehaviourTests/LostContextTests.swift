import Cairn
import Foundation
import GraphSupport
import Testing

private final class Author: ManagedObject {
    @Managed var name: String
    @Managed var alias: String?
    @Managed var born: Int16
    @Managed var mentor: Author?
}

/// How throwing calls behave for an object that no longer belongs to a context.
@Suite struct `An object without a context` {
    /// How an object lost its context.
    enum Loss: CaseIterable, Sendable {
        case contextReleased, contextReset, deletionSaved
    }

    /// Calls the body with a stored author that is a fault and has lost its context.
    private func lost(
        _ loss: Loss, _ type: StoreType,
        _ body: (ManagedObject) throws -> Void
    ) throws {
        try lostObject(loss, type) { try body(try #require($0.object)) }
    }

    /// Calls the body with such an author and the failures that it has reported.
    private func lostObject(
        _ loss: Loss, _ type: StoreType, isFault: Bool = true, _ body: (LeftObject) throws -> Void
    ) throws {
        let stack = try Library.stack(type)
        let id = try stack.inContext { context throws in
            let mentor = try context.insert("Author", ["name": "M"])
            let author = try context.insert("Author", ["name": "A", "mentor": mentor])
            _ = try context.insert("Book", ["title": "b", "author": author])
            try context.save()
            return author.objectID
        }
        let left = LeftObject()
        do {
            let handle = ContextHandle(
                coordinator: stack.coordinator, classes: ObjectClasses([Author.self]))
            try handle.performAndWait { context throws in
                context.faultFailureHandler = { error, _ in left.failures.append(error) }
                let author = try context.object(with: id)
                left.object = author
                if !isFault {
                    _ = try author["name"]
                    _ = try author.objectIDs(forRelationshipNamed: "books")
                }
                switch loss {
                case .contextReleased: break
                case .contextReset: context.reset()
                case .deletionSaved:
                    try context.delete(author)
                    try context.save()
                }
            }
        }
        try body(left)
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
    func `throws when asked whether a relationship is a fault`(
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
    func `keeps its values if only its context was released`(_ type: StoreType) throws {
        let stack = try Library.stack(type)
        let holder = LeftObject()
        try stack.inContext { context throws in
            let author = try context.insert("Author", ["name": "A"])
            try context.save()
            holder.object = author
        }
        let author = try #require(holder.object)

        #expect(author.managedObjectContext == nil)
        #expect(try author["name"] == "A")
    }

    // MARK: Accessors that do not throw

    /// Expects the call to make its object report exactly once that it is gone.
    private func expectReport(_ left: LeftObject, _ call: (Author) throws -> Void) throws {
        let count = left.failures.count
        try call(try #require(left.object as? Author))

        #expect(left.failures.count == count + 1)
        guard case .objectGone = left.failures.last else {
            Issue.record("not gone: \(left.failures)")
            return
        }
    }

    @Test(arguments: chosenEngines, Loss.allCases)
    func `reports each value that an accessor cannot read`(_ type: StoreType, _ loss: Loss) throws {
        try lostObject(loss, type) { left throws in
            try expectReport(left) { #expect($0.name == "") }
            try expectReport(left) { #expect($0.born == 0) }
            try expectReport(left) { #expect($0.alias == nil) }
            try expectReport(left) { #expect($0.mentor == nil) }
            try expectReport(left) { #expect($0.committedValues(forKeys: nil).isEmpty) }
        }
    }

    @Test(arguments: chosenEngines, Loss.allCases)
    func `reports a value that a non-throwing setter cannot set`(
        _ type: StoreType, _ loss: Loss
    ) throws {
        try lostObject(loss, type) { left throws in
            try expectReport(left) { $0.name = "x" }
            try expectReport(left) { $0.born = 1 }
            try expectReport(left) { $0.alias = nil }
        }
    }

    @Test(arguments: chosenEngines)
    func `reports a relationship that it cannot follow`(_ type: StoreType) throws {
        try lostObject(.contextReleased, type, isFault: false) { left throws in
            let author = try #require(left.object)

            #expect(try author["mentor"] != .null)
            #expect(left.failures.isEmpty)
            try expectReport(left) { #expect($0.mentor == nil) }
            try expectReport(left) { #expect($0.primitiveValue(forKey: "mentor") == nil) }
            expectGone { try author.value(forKey: "mentor") }
            expectGone { try author.value(forKeyPath: "mentor.name") }
            expectGone { try author.value(forKeyPath: "books.title") }
            expectGone { try author.setValue("x", forKeyPath: "mentor.name") }
        }
    }

    @Test(arguments: chosenEngines)
    func `reports members of a relationship that was returned before`(
        _ type: StoreType
    ) throws {
        let stack = try Library.stack(type)
        let left = LeftObject()
        let shelf = Shelved()
        try stack.inContext(classes: ObjectClasses([Author.self])) { context throws in
            context.faultFailureHandler = { error, _ in left.failures.append(error) }
            let author = try context.insert("Author", ["name": "A"])
            let book = try context.insert("Book", ["author": author])
            _ = try context.insert("Chapter", ["book": book])
            try context.save()
            left.object = author
            (shelf.books, shelf.chapters) = (
                try author.objects("books"), try book.orderedObjects("chapters")
            )
            _ = (shelf.books?.count, shelf.chapters?.count)
        }
        let (books, chapters) = (try #require(shelf.books), try #require(shelf.chapters))

        try expectReport(left) { _ in #expect(books.map(\.objectID).isEmpty) }
        try expectReport(left) { _ in #expect(chapters.map(\.objectID).isEmpty) }
        expectGone { try chapters.member(at: 0) }
    }

    private final class Shelved: @unchecked Sendable {
        // Unchecked because a single thread of a single test uses it.
        var books: ObjectSet<ManagedObject>?
        var chapters: OrderedObjects<ManagedObject>?
    }

    @Test(arguments: chosenEngines)
    func `that was never saved and was rolled back also reports`(_ type: StoreType) throws {
        try inLibrary(type, classes: ObjectClasses([Author.self])) { context throws in
            let left = LeftObject()
            context.faultFailureHandler = { error, _ in left.failures.append(error) }
            let author = try context.insert("Author", ["name": "A"])
            left.object = author
            context.rollback()

            try expectReport(left) { #expect($0.name == "") }
            try expectReport(left) { $0.name = "x" }
        }
    }
}
