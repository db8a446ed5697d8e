import Cairn
import Foundation
import GraphSupport
import Testing

@Suite struct `A child of a context` {
    @Test(arguments: chosenEngines)
    func `merges what its parent saves, if it is set to`(_ type: StoreType) throws {
        let family = try Family(type, merging: true)
        try family.child.performAndWait { context throws in
            _ = try context.existingObject(with: family.author)["name"]
        }
        try family.parent.performAndWait { context throws in
            try context.existingObject(with: family.author).setValue("new", forKey: "name")
            try context.save()
        }

        try family.child.performAndWait { context throws in
            let author = try #require(context.registeredObject(for: family.author))
            #expect(try author["name"] == "new")
        }
    }

    @Test(arguments: chosenEngines)
    func `keeps the values that it read if it does not merge`(_ type: StoreType) throws {
        let family = try Family(type)
        try family.child.performAndWait { context throws in
            _ = try context.existingObject(with: family.author)["name"]
        }
        try family.parent.performAndWait { context throws in
            try context.existingObject(with: family.author).setValue("new", forKey: "name")
            try context.save()
        }

        try family.child.performAndWait { context throws in
            let author = try #require(context.registeredObject(for: family.author))
            #expect(try author["name"] == "a")
            try context.refresh(author, mergeChanges: false)
            #expect(try author["name"] == "new")
        }
    }

    @Test(arguments: chosenEngines)
    func `merges a deletion that its parent saves`(_ type: StoreType) throws {
        let family = try Family(type, merging: true)
        try family.child.performAndWait { context throws in
            _ = try context.existingObject(with: family.author)["name"]
        }
        try family.parent.performAndWait { context throws in
            try context.delete(try context.existingObject(with: family.author))
            try context.save()
        }

        try family.child.performAndWait { context throws in
            #expect(context.registeredObject(for: family.author) == nil)
        }
    }

    @Test(arguments: chosenEngines)
    func `keeps its own changes when its parent saves`(_ type: StoreType) throws {
        let family = try Family(type, merging: true)
        try family.child.performAndWait { context throws in
            try context.existingObject(with: family.author).setValue(9, forKey: "born")
        }
        try family.parent.performAndWait { context throws in
            try context.existingObject(with: family.author).setValue("new", forKey: "name")
            try context.save()
        }

        try family.child.performAndWait { context throws in
            let author = try #require(context.registeredObject(for: family.author))
            #expect(try author["name"] == "new")
            #expect(try author["born"] == 9)
            #expect(context.updatedObjects == [author])
        }
    }

    @Test(arguments: chosenEngines)
    func `has its grandchild merge what its parent saves`(_ type: StoreType) throws {
        let family = try Family(type, merging: true)
        let grandchild = ContextHandle(parent: family.child)
        try grandchild.performAndWait { context throws in
            context.retainsRegisteredObjects = true
            context.automaticallyMergesChangesFromParent = true
            _ = try context.existingObject(with: family.author)["name"]
        }
        try family.parent.performAndWait { context throws in
            try context.existingObject(with: family.author).setValue("new", forKey: "name")
            try context.save()
        }
        try family.child.performAndWait { _ in }

        try grandchild.performAndWait { context throws in
            let author = try #require(context.registeredObject(for: family.author))
            #expect(try author["name"] == "new")
        }
    }

    @Test(arguments: chosenEngines)
    func `merges what its sibling saves to their parent`(_ type: StoreType) throws {
        let family = try Family(type, merging: true)
        try family.child.performAndWait { context throws in
            _ = try context.existingObject(with: family.author)["name"]
        }
        try ContextHandle(parent: family.parent).performAndWait { context throws in
            try context.existingObject(with: family.author).setValue("new", forKey: "name")
            try context.save()
        }

        try family.child.performAndWait { context throws in
            let author = try #require(context.registeredObject(for: family.author))
            #expect(try author["name"] == "new")
        }
    }

    @Test(arguments: chosenEngines)
    func `reports what its parent saved to a results controller in one round`(
        _ type: StoreType
    ) throws {
        let family = try Family(type, merging: true)
        try family.child.performAndWait { context throws in
            var request = FetchRequest<ManagedObject>("Author")
            request.sortDescriptors = [FetchSortDescriptor("name")]
            let controller = FetchedResultsController(
                fetchRequest: request, managedObjectContext: context)
            let log = ResultsLog()
            controller.delegate = log
            try controller.performFetch()
            try family.parent.performAndWait { parent throws in
                try parent.existingObject(with: family.author).setValue("b", forKey: "name")
                _ = try parent.insert("Author", ["name": "c"])
                try parent.save()
            }
            _ = try context.count(for: request)
            context.processPendingChanges()

            #expect(log.rounds == [["+ c 0.1", "~ b 0.0 0.0"]])
        }
    }

    @Test(arguments: chosenEngines)
    func `saves nothing to a store before its parent does`(_ type: StoreType) throws {
        let family = try Family(type)
        try family.child.performAndWait { context throws in
            _ = try context.insert("Author", ["name": "new"])
            try context.save()
        }
        let before = try family.stack.inContext {
            try $0.count(for: FetchRequest<ManagedObject>("Author"))
        }
        try family.parent.performAndWait { try $0.save() }
        let after = try family.stack.inContext {
            try $0.count(for: FetchRequest<ManagedObject>("Author"))
        }

        #expect(before == 1)
        #expect(after == 2)
    }

    @Test(arguments: chosenEngines)
    func `leaves its parent unchanged when it rolls back`(_ type: StoreType) throws {
        let family = try Family(type)
        try family.child.performAndWait { context throws in
            try context.existingObject(with: family.author).setValue("x", forKey: "name")
            _ = try context.insert("Tag")
            context.rollback()
            #expect(!context.hasChanges)
        }

        try family.parent.performAndWait { #expect(!$0.hasChanges) }
    }

    @Test(arguments: chosenEngines)
    func `checks the model's rules when it saves`(_ type: StoreType) throws {
        let family = try Family(type)
        try family.child.performAndWait { context throws in
            _ = try context.insert("Tag", ["name": "x"])

            let error = #expect(throws: GraphError.self) { try context.save() }
            #expect(error?.code == 1670)
        }
        try family.parent.performAndWait { #expect(!$0.hasChanges) }
    }

    @Test(arguments: chosenEngines)
    func `does not pass on what it inserted and deleted`(_ type: StoreType) throws {
        let family = try Family(type)
        try family.child.performAndWait { context throws in
            let tag = try context.insert("Tag", ["name": "gone"])
            try context.delete(tag)
            try context.save()
        }

        try family.parent.performAndWait { #expect(!$0.hasChanges) }
    }

    @Test(arguments: chosenEngines)
    func `deletes an object that its parent has not saved`(_ type: StoreType) throws {
        let family = try Family(type)
        try family.parent.performAndWait { _ = try $0.insert("Tag", ["name": "new"]) }
        try family.child.performAndWait { context throws in
            try context.delete(try context.only("Tag"))
            try context.save()
        }

        try family.parent.performAndWait { context throws in
            #expect(!context.hasChanges)
            #expect(context.insertedObjects.isEmpty)
        }
    }
}
