import Cairn
import Foundation
import GraphSupport
import Testing

@Suite struct `Key paths on every engine` {
    private static func fill(_ context: ManagedObjectContext) throws {
        let woolf = try context.insert("Writer", ["name": "Woolf", "age": 59])
        let pupil = try context.insert("Person", ["name": "Pupil"])
        try pupil.setValue(woolf, forKey: "mentor")
        try woolf.setValue("London", forKeyPath: "home.city")
        for (title, pages) in [("Orlando", 300), ("Waves", 200), ("Orlando", 250)] {
            let book = try context.insert("Book", ["title": title, "pages": pages])
            try book.setValue(woolf, forKey: "author")
            for number in 1...(pages / 100) {
                let chapter = try context.insert(
                    "Chapter", ["title": "\(number)", "length": number])
                try book.orderedObjects("chapters").append(chapter)
            }
        }
        try context.save()
    }

    private func read<Result: Sendable & Equatable>(
        _ type: StoreType, _ path: String, as result: Result.Type = Result.self
    ) throws -> Result? {
        let stack = try StudioStack(type)
        try stack.inContext { try Self.fill($0) }
        return try stack.inContext { context in
            try context.only("Person", where: "name == 'Pupil'").value(forKeyPath: path) as? Result
        }
    }

    @Test(arguments: everyEngine)
    func `lead into composites`(_ type: StoreType) throws {
        #expect(try read(type, "mentor.home.city") == "London")
        #expect(try read(type, "mentor.home.exact.x", as: Double.self) == nil)
        #expect(try read(type, "home.city", as: String.self) == nil)
        #expect(throws: GraphError.self) { try read(type, "mentor.home.town", as: String.self) }
        #expect(throws: GraphError.self) { try read(type, "home.exact.z", as: String.self) }
    }

    @Test(arguments: everyEngine)
    func `lead over to-manys to all reachable objects`(_ type: StoreType) throws {
        #expect(
            try read(type, "mentor.books.title", as: [String].self)?.sorted()
                == ["Orlando", "Orlando", "Waves"])
        #expect(try read(type, "mentor.books.chapters.length", as: [Int64].self)?.count == 7)
    }

    @Test(arguments: everyEngine)
    func `aggregate with collection operators`(_ type: StoreType) throws {
        #expect(try read(type, "mentor.books.@count") == Int64(3))
        #expect(try read(type, "mentor.books.@sum.pages") == Int64(750))
        #expect(try read(type, "mentor.books.@avg.pages") == 250.0)
        #expect(try read(type, "mentor.books.@min.pages") == Int64(200))
        #expect(try read(type, "mentor.books.@max.title") == "Waves")
        #expect(try read(type, "mentor.books.chapters.@count") == Int64(7))
        #expect(try read(type, "mentor.books.@max.chapters.@count") == Int64(3))
        #expect(try read(type, "mentor.books.@sum.chapters.@sum.length") == Int64(12))
        #expect(
            try read(type, "mentor.books.@distinctUnionOfObjects.title", as: [String].self)?
                .sorted()
                == ["Orlando", "Waves"])
        #expect(try read(type, "mentor.books.@unionOfObjects.title", as: [String].self)?.count == 3)
        #expect(
            try read(
                type, "mentor.books.@distinctUnionOfArrays.chapters.title", as: [String].self)?
                .sorted() == ["1", "2", "3"])
        #expect(try read(type, "books.@sum.pages") == Int64(0))
        #expect(try read(type, "books.@max.pages", as: Int64.self) == nil)
    }

    @Test(
        arguments: [
            "name.@count", "mentor.books.@sum.title", "mentor.books.@frob.pages",
            "mentor.name.length", "mentor.books.@count.title",
            "friends.@sum.friends.@sum.friends.@sum.friends.@sum.friends.@sum.friends.@sum"
                + ".friends.@sum.friends.@sum.friends.@sum.age",
        ])
    func `are refused if they are meaningless`(_ path: String) throws {
        #expect(throws: GraphError.self) { try read(.inMemory, path, as: Int64.self) }
    }

    @Test(arguments: everyEngine)
    func `set what they lead to`(_ type: StoreType) throws {
        let stack = try StudioStack(type)
        try stack.inContext { context in
            try Self.fill(context)
            let pupil = try context.only("Person", where: "name == 'Pupil'")
            try pupil.setValue("V.", forKeyPath: "mentor.name")
            try pupil.setValue(1.5, forKeyPath: "mentor.home.exact.x")
            try pupil.setValue(nil, forKeyPath: "mentor.home.city")
            try pupil.setValue(7, forKeyPath: "mentor.books.sold")
            try pupil.setValue("nobody", forKeyPath: "mentor.mentor.name")
            try context.save()
        }

        try stack.inContext { context in
            let mentor = try context.only("Writer")

            #expect(try mentor["name"] == "V.")
            #expect(try mentor["home"] == .composite(["exact": .composite(["x": 1.5])]))
            #expect(try mentor.value(forKeyPath: "books.@sum.sold") as? Int64 == 21)
            #expect(throws: GraphError.self) { try mentor.setValue(1, forKeyPath: "home.city") }
            #expect(throws: GraphError.self) { try mentor.setValue(1, forKeyPath: "name.city") }
            #expect(throws: GraphError.self) { try mentor.setValue(1, forKeyPath: "home.nowhere") }
        }
    }

    @Test(arguments: everyEngine)
    func `accept composites as plain dictionaries`(_ type: StoreType) throws {
        let stack = try StudioStack(type)
        try stack.inContext { context in
            let person = try context.insert("Person", ["name": "Woolf"])
            let home: [String: Any] = ["city": "London", "exact": ["x": 1.5, "y": 2]]
            try person.setValue(home, forKey: "home")
            try context.save()

            #expect(try person.value(forKeyPath: "home.city") as? String == "London")
            #expect(try person.value(forKeyPath: "home.exact.y") as? Double == 2)
            try person.setValue(["x": 3], forKeyPath: "home.exact")
            #expect(
                try person["home"]
                    == .composite(["city": "London", "exact": .composite(["x": 3.0])]))
            let wrong: [[String: Any]] = [
                ["town": "London"], ["city": 1], ["exact": ["x": "1"]],
            ]
            for home in wrong {
                #expect(throws: GraphError.self) { try person.setValue(home, forKey: "home") }
            }
        }
    }
}
