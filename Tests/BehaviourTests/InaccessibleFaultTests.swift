import Cairn
import Foundation
import GraphSupport
import Testing

@Suite struct `A fault without a row` {
    private func withGoneTag(
        _ type: StoreType, _ body: @Sendable (ManagedObject, ManagedObjectContext) throws -> Void
    ) throws {
        let stack = try Library.stack(type)
        let id = try stack.inContext { context throws in
            let tag = try context.insert("Tag", ["name": "tag"])
            try context.save()
            return tag.objectID
        }
        try stack.fill { try $0.delete(try $0.existingObject(with: id)) }
        try stack.inContext { context in try body(try context.object(with: id), context) }
    }

    @Test(arguments: chosenEngines)
    func `throws an error that says that the object is gone`(_ type: StoreType) throws {
        try withGoneTag(type) { tag, _ throws in
            let error = #expect(throws: GraphError.self) { try tag["name"] }

            #expect(error?.code == 133_000)
            #expect(!tag.isDeleted)
        }
    }

    @Test(arguments: chosenEngines)
    func `becomes a deleted object with nil values if the context allows it`(
        _ type: StoreType
    ) throws {
        try withGoneTag(type) { tag, context throws in
            context.shouldDeleteInaccessibleFaults = true

            #expect(try tag["name"] == .null)
            #expect(tag.isDeleted)
            #expect(!tag.isFault)
        }
    }

    @Test(arguments: chosenEngines)
    func `that is marked as deleted is not saved`(_ type: StoreType) throws {
        try withGoneTag(type) { tag, context throws in
            context.shouldDeleteInaccessibleFaults = true
            _ = try tag["name"]

            #expect(!context.hasChanges)
            #expect(context.deletedObjects.isEmpty)
            try context.save()
            _ = try context.insert("Tag", ["name": "other"])
            try context.save()
        }
    }

    @Test(arguments: chosenEngines)
    func `that is marked as deleted does not exist`(_ type: StoreType) throws {
        try withGoneTag(type) { tag, context throws in
            context.shouldDeleteInaccessibleFaults = true
            _ = try tag["name"]

            let error = #expect(throws: GraphError.self) {
                try context.existingObject(with: tag.objectID)
            }
            #expect(error?.code == 133_000)
            #expect(try context.count(for: FetchRequest<ManagedObject>("Tag")) == 0)
        }
    }

    @Test(arguments: chosenEngines)
    func `that is marked as deleted may be deleted and refreshed`(_ type: StoreType) throws {
        try withGoneTag(type) { tag, context throws in
            context.shouldDeleteInaccessibleFaults = true
            _ = try tag["name"]
            try context.refresh(tag, mergeChanges: false)
            #expect(!tag.isDeleted)
            _ = try tag["name"]
            try context.delete(tag)
            try context.save()

            #expect(!context.hasChanges)
        }
    }

    @Test(arguments: chosenEngines)
    func `is not found by its ID`(_ type: StoreType) throws {
        try withGoneTag(type) { tag, context throws in
            #expect(throws: GraphError.self) { try context.existingObject(with: tag.objectID) }
            #expect(try context.object(with: tag.objectID) === tag)
        }
    }
}
