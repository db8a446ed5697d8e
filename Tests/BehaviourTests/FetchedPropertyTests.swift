import Cairn
import Foundation
import GraphSupport
import Testing

@Suite struct `A fetched property` {
    private func inShelf(
        _ type: StoreType, _ body: @Sendable (ManagedObject, ManagedObjectContext) throws -> Void
    ) throws {
        try inLibrary(type) { context throws in
            let mentor = try context.insert("Author", ["name": "M", "alias": "mm", "born": 1900])
            let author = try context.insert("Author", ["name": "A", "alias": "aa", "born": 1950])
            let pupil = try context.insert("Author", ["name": "P", "alias": "pp", "born": 1980])
            try author.setValue(mentor, forKey: "mentor")
            try pupil.setValue(author, forKey: "mentor")
            for (title, alias) in [("b1", "aa"), ("b2", "mm"), ("b3", "pp"), ("b4", "aa")] {
                _ = try context.insert("Book", ["title": title, "authorAlias": alias])
            }
            _ = try context.insert("Book", ["title": "rare"])
            _ = try context.insert("Book", ["title": "classics", "author": author])
            try context.save()
            try body(author, context)
        }
    }

    private static func titles(_ object: ManagedObject, _ key: String) throws -> [String] {
        let found = try #require(try object.value(forKey: key) as? [ManagedObject])
        return try found.map { try $0.value(forKey: "title") as? String ?? "" }
    }

    @Test(arguments: chosenEngines)
    func `compares with an attribute of its object`(_ type: StoreType) throws {
        try inShelf(type) { author, _ throws in
            #expect(try Self.titles(author, "ownBooks") == ["b1", "b4"])
        }
    }

    @Test(arguments: chosenEngines)
    func `compares with a number of its object`(_ type: StoreType) throws {
        try inShelf(type) { author, _ throws in
            let found = try #require(try author.value(forKey: "laterAuthors") as? [ManagedObject])

            #expect(try found.map { try $0["name"] } == ["P"])
        }
    }

    @Test(arguments: chosenEngines)
    func `compares with the value of a path over a to-one`(_ type: StoreType) throws {
        try inShelf(type) { author, _ throws in
            #expect(try Self.titles(author, "booksOfMentor") == ["b2"])
        }
    }

    @Test(arguments: chosenEngines)
    func `compares with the values of a path over a to-many`(_ type: StoreType) throws {
        try inShelf(type) { author, _ throws in
            #expect(try Self.titles(author, "booksOfPupils") == ["b3"])
        }
    }

    @Test(arguments: chosenEngines)
    func `compares with its object itself`(_ type: StoreType) throws {
        try inShelf(type) { author, _ throws in
            #expect(try Self.titles(author, "writtenBooks") == ["classics"])
        }
    }

    @Test(arguments: chosenEngines)
    func `can use its own name and user info`(_ type: StoreType) throws {
        try inShelf(type) { author, _ throws in
            #expect(try Self.titles(author, "classics") == ["classics"])
            #expect(try Self.titles(author, "rarities") == ["rare"])
        }
    }

    @Test(arguments: chosenEngines)
    func `compares with nil over a path whose to-one is nil`(_ type: StoreType) throws {
        try inShelf(type) { author, _ throws in
            let mentor = try #require(try author.value(forKey: "mentor") as? ManagedObject)

            #expect(try Self.titles(mentor, "booksOfMentor") == ["classics", "rare"])
        }
    }

    @Test(arguments: chosenEngines)
    func `sees unsaved changes of its object and of what it fetches`(_ type: StoreType) throws {
        try inShelf(type) { author, context throws in
            try author.setValue("zz", forKey: "alias")
            _ = try context.insert("Book", ["title": "new", "authorAlias": "zz"])

            #expect(try Self.titles(author, "ownBooks") == ["new"])
        }
    }

    @Test(arguments: chosenEngines)
    func `works for an object that is not saved yet`(_ type: StoreType) throws {
        try inShelf(type) { _, context throws in
            let newcomer = try context.insert("Author", ["name": "N", "alias": "aa"])

            #expect(try Self.titles(newcomer, "ownBooks") == ["b1", "b4"])
        }
    }

    @Test(arguments: chosenEngines)
    func `cannot be set`(_ type: StoreType) throws {
        try inShelf(type) { author, _ throws in
            #expect(throws: GraphError.self) {
                try author.setValue([ManagedObject](), forKey: "ownBooks")
            }
        }
    }

    @Test(arguments: chosenEngines)
    func `is fetched again each time it is read`(_ type: StoreType) throws {
        try inShelf(type) { author, context throws in
            let before = try Self.titles(author, "ownBooks")
            try context.delete(try context.only("Book", where: "title == 'b1'"))
            let after = try Self.titles(author, "ownBooks")

            #expect(before == ["b1", "b4"])
            #expect(after == ["b4"])
        }
    }
}
