import Cairn
import GraphSupport
import Testing

@Suite struct `A reset context` {
    @Test(arguments: chosenEngines)
    func `leaves its former objects as faults`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let author = try context.insert("Author")
            try context.save()
            let new = try context.insert("Tag")
            context.reset()

            #expect(author.isFault)
            #expect(new.isFault)
            #expect(!author.isDeleted && !author.isInserted && !author.isUpdated)
            #expect(author.managedObjectContext == nil)
            #expect(!context.hasChanges)
        }
    }

    @Test(arguments: chosenEngines)
    func `has no objects and no changes, and fetches again`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let author = try context.insert("Author", ["name": "A"])
            try context.save()
            try author.setValue("B", forKey: "name")
            context.reset()

            #expect(context.registeredObjects.isEmpty)
            #expect(context.updatedObjects.isEmpty)
            let again = try context.only("Author")
            #expect(again !== author)
            #expect(try again["name"] == "A")
        }
    }

    @Test(arguments: chosenEngines)
    func `refuses to delete or refresh an object that it released`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let author = try context.insert("Author", ["name": "A"])
            try context.save()
            context.reset()

            #expect(throws: GraphError.self) { try context.delete(author) }
            #expect(throws: GraphError.self) { try context.refresh(author, mergeChanges: true) }
        }
    }
}
