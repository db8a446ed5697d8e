import Cairn
import Foundation
import GraphSupport
import Testing

@Suite struct `The hook before a save` {
    @Test(arguments: chosenEngines)
    func `runs once for an object that it leaves alone`(_ type: StoreType) throws {
        try inHookedLibrary(type) { context throws in
            let author = try context.insertHooked("Author")
            try context.save()

            #expect(author.callCount("prepareForSave") == 1)
            #expect(author.callCount("didSave") == 1)
        }
    }

    @Test(arguments: chosenEngines)
    func `runs again for a new object that it changed`(_ type: StoreType) throws {
        try inHookedLibrary(type) { context throws in
            let author = try context.insertHooked("Author", ["born": 1])
            author.onPreparation = { author in
                if try! author["born"] != 3 {
                    try! author.setValue(author.callCount("prepareForSave") + 1, forKey: "born")
                }
            }
            try context.save()

            #expect(author.callCount("prepareForSave") == 3)
            #expect(try author["born"] == 3)
        }
    }

    @Test(arguments: chosenEngines)
    func `runs again for a stored object that it changed`(_ type: StoreType) throws {
        try inHookedLibrary(type) { context throws in
            let author = try context.insertHooked("Author", ["born": 1])
            try context.save()
            _ = author.takeCalls()
            author.onPreparation = { try! $0.setValue("seen", forKey: "alias") }
            try author.setValue(2, forKey: "born")
            try context.save()

            #expect(author.callCount("prepareForSave") == 2)
            #expect(try author["alias"] == "seen")
        }
    }

    @Test(arguments: chosenEngines)
    func `runs again for an object that another object's hook changed`(_ type: StoreType) throws {
        try inHookedLibrary(type) { context throws in
            let first = try context.insertHooked("Author", ["name": "first"])
            let second = try context.insertHooked("Author", ["name": "second"])
            second.onPreparation = { _ in try! first.setValue(7, forKey: "born") }
            try context.save()

            #expect(first.callCount("prepareForSave") == 2)
            #expect(second.callCount("prepareForSave") == 1)
            #expect(try first["born"] == 7)
        }
    }

    @Test(arguments: chosenEngines)
    func `runs for an object that only a hook changed`(_ type: StoreType) throws {
        try inHookedLibrary(type) { context throws in
            let bystander = try context.insertHooked("Author", ["name": "bystander"])
            let actor = try context.insertHooked("Author", ["name": "actor"])
            try context.save()
            _ = (bystander.takeCalls(), actor.takeCalls())
            actor.onPreparation = { _ in try! bystander.setValue(5, forKey: "born") }
            try actor.setValue(4, forKey: "born")
            try context.save()

            #expect(bystander.callCount("prepareForSave") == 1)
            #expect(try bystander["born"] == 5)
        }
    }

    @Test(arguments: chosenEngines)
    func `runs for an object that a hook inserted`(_ type: StoreType) throws {
        try inHookedLibrary(type) { context throws in
            let author = try context.insertHooked("Author")
            nonisolated(unsafe) var made: HookedObject?
            author.onPreparation = { author in
                guard made == nil else { return }
                made = try! author.managedObjectContext?.insertHooked("Tag", ["name": "new"])
            }
            try context.save()

            #expect(made?.callCount("prepareForSave") == 1)
            #expect(made?.objectID.isTemporary == false)
        }
    }

    @Test(arguments: chosenEngines)
    func `runs for an object that a cascade from a hook deleted`(_ type: StoreType) throws {
        try inHookedLibrary(type) { context throws in
            let author = try context.insertHooked("Author")
            let book = try context.insertHooked("Book", ["title": "b", "author": author])
            let tag = try context.insertHooked("Tag", ["name": "tag"])
            try context.save()
            _ = book.takeCalls()
            tag.onPreparation = { tag in
                if !author.isDeleted { try! tag.managedObjectContext?.delete(author) }
            }
            try tag.setValue("other", forKey: "name")
            try context.save()

            #expect(book.callCount("prepareForSave") == 1)
            #expect(try context.count(for: FetchRequest<ManagedObject>("Book")) == 0)
        }
    }

    @Test(arguments: chosenEngines)
    func `runs again for both ends of a relationship that a hook set`(_ type: StoreType) throws {
        try inHookedLibrary(type) { context throws in
            let author = try context.insertHooked("Author")
            let book = try context.insertHooked("Book")
            let tag = try context.insertHooked("Tag", ["name": "tag"])
            tag.onPreparation = { _ in
                if try! book["author"] == .null { try! book.setValue(author, forKey: "author") }
            }
            try context.save()

            #expect(author.callCount("prepareForSave") == 2)
            #expect(book.callCount("prepareForSave") == 2)
            #expect(try author.names("books", "title").count == 1)
        }
    }

    @Test(arguments: chosenEngines)
    func `does not run again for a value that stays the same`(_ type: StoreType) throws {
        try inHookedLibrary(type) { context throws in
            let author = try context.insertHooked("Author", ["born": 1, "mood": "calm"])
            author.onPreparation = { author in
                try! author.setValue(1, forKey: "born")
                try! author.setValue("calm", forKey: "mood")
            }
            try context.save()

            #expect(author.callCount("prepareForSave") == 1)
        }
    }

    @Test(arguments: chosenEngines)
    func `does not run again for a primitive value`(_ type: StoreType) throws {
        try inHookedLibrary(type) { context throws in
            let author = try context.insertHooked("Author", ["born": 1])
            author.onPreparation = { author in
                try! author.setPrimitiveValue(author.callCount("prepareForSave"), forKey: "born")
            }
            try context.save()

            #expect(author.callCount("prepareForSave") == 1)
        }
    }

    @Test(arguments: chosenEngines)
    func `that always changes its object ends the save with an error that names the class`(
        _ type: StoreType
    ) throws {
        try inHookedLibrary(type) { context throws in
            let author = try context.insertHooked("Author")
            author.onPreparation = { author in
                try! author.setValue(author.callCount("prepareForSave"), forKey: "born")
            }

            let error = #expect(throws: GraphError.self) { try context.save() }

            #expect(error?.description.contains("prepareForSave") == true)
            #expect(error?.description.contains("Author") == true)
            #expect(author.objectID.isTemporary)
            #expect(context.hasChanges)
            author.onPreparation = nil
            try context.save()
            #expect(!author.objectID.isTemporary)
        }
    }

    @Test(arguments: chosenEngines)
    func `sees the changes of a hook that ran before it in the same event`(_ type: StoreType) throws
    {
        try inHookedLibrary(type) { context throws in
            let author = try context.insertHooked("Author")
            try context.save()
            nonisolated(unsafe) var seen: [Set<String>] = []
            author.onPreparation = { author in
                seen.append(Set(author.changedValues().keys))
                try! author.setValue("x", forKey: "alias")
            }
            try author.setValue(3, forKey: "born")
            try context.save()

            #expect(seen == [["born"], ["born", "alias"]])
        }
    }

    @Test(arguments: chosenEngines)
    func `can be undone together with what it changed`(_ type: StoreType) throws {
        try inHookedLibrary(type) { context throws in
            let author = try context.insertHooked("Author", ["born": 1])
            try context.save()
            context.undoManager = UndoManager()
            author.onPreparation = { try! $0.setValue("hook", forKey: "alias") }
            try author.setValue(2, forKey: "born")
            try context.save()
            context.undo()

            #expect(try author["alias"] == .null)
            #expect(try author["born"] == 1)
        }
    }

    @Test(arguments: chosenEngines)
    func `cannot begin another save`(_ type: StoreType) throws {
        try inHookedLibrary(type) { context throws in
            let author = try context.insertHooked("Author")
            nonisolated(unsafe) var failure: GraphError?
            author.onPreparation = { author in
                do throws(GraphError) {
                    try author.managedObjectContext?.save()
                } catch {
                    failure = error
                }
            }
            try context.save()

            guard case .saveUnderWay = failure else {
                Issue.record("not refused: \(String(describing: failure))")
                return
            }
        }
    }
}
