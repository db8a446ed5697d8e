import Cairn
import Foundation
import GraphSupport
import Testing

@Suite struct `A merge policy` {
    /// Changes an author in this context and in another one, which saves first. The body saves this context.
    private func inConflict(
        _ type: StoreType, _ policy: MergePolicyType,
        _ body: @Sendable (ManagedObject, ManagedObjectContext) throws -> Void
    ) throws {
        let stack = try Library.stack(type)
        let id = try stack.inContext { context throws in
            let author = try context.insert("Author", ["name": "A", "alias": "x", "born": 1])
            try context.save()
            return author.objectID
        }
        try stack.inContext { context throws in
            context.mergePolicy = StandardMergePolicy(policy)
            let author = try context.existingObject(with: id)
            try author.setValue("mine", forKey: "name")
            try author.setValue(2, forKey: "born")
            try stack.fill { other throws in
                let same = try other.existingObject(with: id)
                try same.setValue("theirs", forKey: "name")
                try same.setValue("y", forKey: "alias")
            }
            try body(author, context)
        }
    }

    private static func values(_ author: ManagedObject) throws -> [Value] {
        try ["name", "alias", "born"].map { try author[$0] }
    }

    @Test(arguments: chosenEngines)
    func `of errors refuses, with the code 133020`(_ type: StoreType) throws {
        try inConflict(type, .error) { author, context throws in
            let error = #expect(throws: GraphError.self) { try context.save() }

            #expect(error?.code == 133_020)
            #expect(try Self.values(author) == ["mine", "x", 2])
            #expect(context.hasChanges)
        }
    }

    @Test(arguments: chosenEngines)
    func `of the store takes what others changed, and keeps the rest`(_ type: StoreType) throws {
        try inConflict(type, .mergeByPropertyStoreTrump) { author, context throws in
            try context.save()

            #expect(try Self.values(author) == ["theirs", "y", 2])
        }
    }

    @Test(arguments: chosenEngines)
    func `of the object keeps what it changed, and takes the rest`(_ type: StoreType) throws {
        try inConflict(type, .mergeByPropertyObjectTrump) { author, context throws in
            try context.save()

            #expect(try Self.values(author) == ["mine", "y", 2])
        }
    }

    @Test(arguments: chosenEngines)
    func `that overwrites keeps the whole object`(_ type: StoreType) throws {
        try inConflict(type, .overwrite) { author, context throws in
            try context.save()

            #expect(try Self.values(author) == ["mine", "x", 2])
        }
    }

    @Test(arguments: chosenEngines)
    func `that rolls back takes the stored object`(_ type: StoreType) throws {
        try inConflict(type, .rollback) { author, context throws in
            try context.save()

            #expect(try Self.values(author) == ["theirs", "y", 1])
            #expect(!context.hasChanges)
        }
    }

    @Test(arguments: chosenEngines)
    func `is not asked if nobody else saved`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let author = try context.insert("Author")
            try context.save()
            for number in 0..<3 {
                try author.setValue(number, forKey: "born")
                try context.save()
            }

            #expect(try author["born"] == 2)
        }
    }

    @Test(arguments: chosenEngines)
    func `of errors refuses a repeated unique value, with the code 133021`(_ type: StoreType) throws
    {
        try inLibrary(type) { context throws in
            _ = try context.insert("Ticket", ["code": "1"])
            try context.save()
            _ = try context.insert("Ticket", ["code": "1"])

            let error = #expect(throws: GraphError.self) { try context.save() }
            #expect(error?.code == 133_021)
        }
    }

    @Test(arguments: chosenEngines)
    func `of the object updates the stored object of a unique value`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            context.mergePolicy = StandardMergePolicy(.mergeByPropertyObjectTrump)
            _ = try context.insert("Ticket", ["code": "1", "seat": 5])
            try context.save()
            _ = try context.insert("Ticket", ["code": "1", "price": 9])
            try context.save()

            let ticket = try context.only("Ticket")
            #expect(try ticket["seat"] == 5)
            #expect(try ticket["price"] == 9)
        }
    }

    @Test(arguments: chosenEngines)
    func `of the store discards a new object with a stored unique value`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            context.mergePolicy = StandardMergePolicy(.mergeByPropertyStoreTrump)
            let stored = try context.insert("Ticket", ["code": "1", "seat": 5])
            try context.save()
            let new = try context.insert("Ticket", ["code": "1", "seat": 6])
            try context.save()

            #expect(try context.only("Ticket") === stored)
            #expect(try stored["seat"] == 5)
            #expect(new.managedObjectContext == nil)
        }
    }

    @Test(arguments: chosenEngines)
    func `is not asked about unique values that are nil`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            for seat in 0..<3 { _ = try context.insert("Ticket", ["seat": seat]) }
            try context.save()

            #expect(try context.count(for: FetchRequest<ManagedObject>("Ticket")) == 3)
        }
    }
}
