import Cairn
import Foundation
import GraphSupport
import Testing

@Suite struct `A fault` {
    @Test(arguments: chosenEngines)
    func `stands for an ID, and gets its values when one is read`(_ type: StoreType) throws {
        try inStored(type) { id, context throws in
            let author = try context.object(with: id)
            let before = author.isFault
            _ = try author["name"]

            #expect(before)
            #expect(!author.isFault)
        }
    }

    @Test(arguments: chosenEngines)
    func `is returned by a fetch only if faults are requested`(_ type: StoreType) throws {
        try inStored(type) { _, context throws in
            var request = FetchRequest<ManagedObject>("Author")
            request.returnsObjectsAsFaults = true
            let fault = try #require(try context.fetch(request).first)
            let wasFault = fault.isFault
            let object = try context.only("Author")

            #expect(wasFault)
            #expect(object === fault)
            #expect(!object.isFault)
        }
    }

    @Test(arguments: chosenEngines)
    func `fires when a value is set`(_ type: StoreType) throws {
        try inStored(type) { id, context throws in
            let author = try context.object(with: id)
            try author.setValue(7, forKey: "born")

            #expect(!author.isFault)
            #expect(author.changedValues() == ["born": 7])
        }
    }

    @Test(arguments: chosenEngines)
    func `does not fire for its ID, its entity and its state`(_ type: StoreType) throws {
        try inStored(type) { id, context throws in
            let author = try context.object(with: id)
            _ = (author.objectID, author.entity.name, author.hasChanges, author.description)

            #expect(author.isFault)
        }
    }

    @Test(arguments: chosenEngines)
    func `does not fire for a primitive value`(_ type: StoreType) throws {
        try inStored(type) { id, context throws in
            let author = try context.object(with: id)

            #expect(author.primitiveValue(forKey: "name") == nil)
            #expect(author.isFault)
            author.willAccessValue(forKey: "name")
            #expect(author.primitiveValue(forKey: "name") as? String == "A")
        }
    }

    @Test(arguments: chosenEngines)
    func `calls its hook once when it gets its values`(_ type: StoreType) throws {
        let stack = try Library.stack(type)
        try stack.fill { _ = try $0.insert("Author", ["name": "A"]) }
        try stack.inContext(classes: Library.classes(HookedObject.self)) { context throws in
            let author = try #require(try context.only("Author") as? HookedObject)
            _ = try (author["name"], author["born"])

            #expect(author.takeCalls() == ["awakeFromFetch"])
            try context.refresh(author, mergeChanges: false)
            #expect(author.takeCalls() == ["willTurnIntoFault", "didTurnIntoFault"])
            _ = try author["name"]
            #expect(author.takeCalls() == ["awakeFromFetch"])
        }
    }

    @Test(arguments: chosenEngines)
    func `is the result of a refresh, which discards changes`(_ type: StoreType) throws {
        try inStored(type) { id, context throws in
            let author = try context.existingObject(with: id)
            try author.setValue("B", forKey: "name")
            try context.refresh(author, mergeChanges: false)

            #expect(author.isFault)
            #expect(!author.hasChanges)
            #expect(!context.hasChanges)
            #expect(try author["name"] == "A")
        }
    }

    @Test(arguments: chosenEngines)
    func `is not the result of a refresh that keeps changes`(_ type: StoreType) throws {
        try inStored(type) { id, context throws in
            let author = try context.existingObject(with: id)
            try author.setValue("B", forKey: "name")
            try context.refresh(author, mergeChanges: true)

            #expect(!author.isFault)
            #expect(try author["name"] == "B")
            #expect(author.isUpdated)
        }
    }

    @Test(arguments: chosenEngines)
    func `never replaces an object that was never saved`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let tag = try context.insert("Tag", ["name": "new"])
            try context.refresh(tag, mergeChanges: false)
            try context.refreshAllObjects()

            #expect(!tag.isFault)
            #expect(try tag["name"] == "new")
            #expect(context.insertedObjects == [tag])
        }
    }

    @Test(arguments: chosenEngines)
    func `replaces each unchanged object when all are refreshed`(_ type: StoreType) throws {
        try inStored(type) { id, context throws in
            let author = try context.existingObject(with: id)
            let tag = try context.insert("Tag", ["name": "tag"])
            try context.save()
            try tag.setValue("changed", forKey: "name")
            try context.refreshAllObjects()

            #expect(author.isFault)
            #expect(!tag.isFault)
            #expect(try tag["name"] == "changed")
        }
    }

    @Test(arguments: chosenEngines)
    func `fires together with others on request`(_ type: StoreType) throws {
        let stack = try Library.stack(type)
        let ids = try stack.inContext { context throws in
            let tags = try (0..<10).map { try context.insert("Tag", ["name": "tag \($0)"]) }
            try context.save()
            return tags.map(\.objectID)
        }
        try stack.inContext { context throws in
            let tags = try ids.map { try context.object(with: $0) }
            try context.fireFaults(of: tags)

            #expect(tags.allSatisfy { !$0.isFault })
        }
    }

    @Test(arguments: chosenEngines)
    func `is absent at both steps of a prefetched path`(_ type: StoreType) throws {
        let stack = try Library.stack(type)
        try stack.fill { context throws in
            for name in ["A", "B"] {
                let author = try context.insert("Author", ["name": name])
                let tag = try context.insert("Tag", ["name": "tag \(name)"])
                _ = try context.insert("Book", ["author": author, "tags": Set([tag])])
            }
        }
        try stack.inContext { context throws in
            var request = FetchRequest<ManagedObject>("Author")
            request.relationshipKeyPathsForPrefetching = ["books.tags"]
            let authors: FetchResults<ManagedObject> = try context.fetch(request)
            for author in authors {
                #expect(try !author.hasFault(forRelationshipNamed: "books"))
                for book in try author.objects("books") {
                    #expect(!book.isFault)
                    #expect(try !book.hasFault(forRelationshipNamed: "tags"))
                    #expect(try book.objects("tags").allSatisfy { !$0.isFault })
                }
            }
        }
    }

    /// Calls the body with a context that has not yet read the stored author “A”.
    private func inStored(
        _ type: StoreType, _ body: @Sendable (ObjectID, ManagedObjectContext) throws -> Void
    ) throws {
        let stack = try Library.stack(type)
        let id = try stack.inContext { context throws in
            let author = try context.insert("Author", ["name": "A", "born": 1])
            try context.save()
            return author.objectID
        }
        try stack.inContext { try body(id, $0) }
    }
}
