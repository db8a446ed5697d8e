import Cairn
import Foundation
import GraphSupport
import Testing

@Suite struct `A child context with transient values` {
    @Test(arguments: chosenEngines)
    func `passes transient values of a new object to its parent`(_ type: StoreType) throws {
        let family = try Family(type)
        try family.child.performAndWait { context throws in
            _ = try context.insert("Author", ["name": "new", "mood": "calm"])
            try context.save()
        }

        try family.parent.performAndWait { context throws in
            let author = try #require(context.insertedObjects.first)
            #expect(try author["mood"] == "calm")
        }
    }

    @Test(arguments: chosenEngines)
    func `passes transient values of a changed object to its parent`(_ type: StoreType) throws {
        let family = try Family(type)
        try family.child.performAndWait { context throws in
            let author = try context.existingObject(with: family.author)
            try author.setValue(5, forKey: "born")
            try author.setValue("calm", forKey: "mood")
            try context.save()
        }

        try family.parent.performAndWait { context throws in
            let author = try #require(context.updatedObjects.first)
            #expect(try author["mood"] == "calm")
            #expect(try author["born"] == 5)
        }
    }

    @Test(arguments: chosenEngines)
    func `passes a transient value that is the only change to its parent`(
        _ type: StoreType
    ) throws {
        let family = try Family(type)
        let parentsAuthor = Holder()
        try family.parent.performAndWait { context throws in
            parentsAuthor.object = try context.existingObject(with: family.author)
        }
        try family.child.performAndWait { context throws in
            try context.existingObject(with: family.author).setValue("calm", forKey: "mood")
            try context.save()
            #expect(!context.hasChanges)
        }

        try family.parent.performAndWait { _ throws in
            #expect(try parentsAuthor.object?["mood"] == "calm")
        }
    }

    private final class Holder: @unchecked Sendable {
        // Unchecked because it is used only in turns of one context.
        var object: ManagedObject?
    }

    @Test(arguments: chosenEngines)
    func `does not see a transient value of its parent`(_ type: StoreType) throws {
        let family = try Family(type)
        try family.parent.performAndWait { context throws in
            _ = try context.insert("Author", ["name": "new", "mood": "calm"])
        }

        try family.child.performAndWait { context throws in
            let author = try context.only("Author", where: "name == 'new'")
            // Rows contain no transient values, so a child context reads only stored values.
            #expect(try author["mood"] == .null)
        }
    }
}
