import CairnModel
import Foundation
import StackSupport
import Testing

@testable import CairnObjects

@Suite struct Validation {
    private let stack: MusicStack
    private let context: ManagedObjectContext

    init() throws {
        stack = try MusicStack([
            EntityDescription(
                "Guest",
                [
                    .attribute("name", .string, isOptional: false),
                    .attribute(
                        "age", .integer16, isOptional: true,
                        validationRules: [.minimum(18), .maximum(120)]),
                    .attribute(
                        "born", .date, isOptional: true,
                        validationRules: [
                            .minimum(.date(Date(timeIntervalSinceReferenceDate: 0))),
                            .maximum(.date(Date(timeIntervalSinceReferenceDate: 100))),
                        ]),
                    .attribute(
                        "nick", .string, isOptional: true,
                        validationRules: [
                            .minimumLength(2), .maximumLength(4),
                            .matches(regularExpression: "[a-z]+"),
                        ]),
                    .attribute(
                        "shoe", .double, isOptional: true,
                        validationRules: [
                            .predicate(try FetchPredicate(format: "SELF != 13"), warning: "unlucky")
                        ]),
                    .relationship(Self.bounded),
                    .toMany("notes", "Note", inverse: "guest", isOptional: false),
                    .toOne("room", "Room", inverse: "guests", isOptional: false),
                ]),
            EntityDescription("Bag", [.toOne("guest", "Guest", inverse: "bags")]),
            EntityDescription("Note", [.toOne("guest", "Guest", inverse: "notes")]),
            EntityDescription("Room", [.relationship(Self.guests)]),
        ])
        context = try stack.context()
    }

    private static var bounded: RelationshipDescription {
        var bags = RelationshipDescription.toMany("bags", "Bag", inverse: "guest")
        bags.minimumCount = 2
        bags.maximumCount = 3
        return bags
    }

    private static var guests: RelationshipDescription {
        var guests = RelationshipDescription.toMany(
            "guests", "Guest", inverse: "room", isOptional: false)
        guests.minimumCount = 1
        return guests
    }

    private func guest(_ values: [String: Any] = [:]) throws -> ManagedObject {
        let guest = try context.insertNewObject(forEntityName: "Guest")
        try guest.setValue("Ada", forKey: "name")
        if values["room"] == nil {
            try guest.setValue(try context.insertNewObject(forEntityName: "Room"), forKey: "room")
        }
        for (key, value) in values { try guest.setValue(value, forKey: key) }
        return guest
    }

    @Test(
        arguments: [
            ("age", 17, 1620), ("age", 121, 1610), ("nick", "a", 1670), ("nick", "abcde", 1660),
            ("nick", "A1", 1680), ("shoe", 13.0, 1550),
            ("born", Date(timeIntervalSinceReferenceDate: -1), 1640),
            ("born", Date(timeIntervalSinceReferenceDate: 101), 1630),
        ] as [(String, any Sendable, Int)])
    func `reports a broken rule with Core Data's code`(
        _ key: String, _ value: any Sendable, _ code: Int
    ) throws {
        let guest = try guest([key: value])

        let failures = failures { try context.save() }

        #expect(failures.map(\.code) == [code])
        #expect(failures.first?.property == key)
        #expect(failures.first?.object == guest.objectID)
    }

    @Test func `accepts values on the bounds, and nil`() throws {
        _ = try guest(["age": 18, "nick": "abcd", "shoe": 13.5])
        _ = try guest(["age": 120, "nick": "ab"])

        try context.save()

        #expect(!context.hasChanges)
    }

    @Test func `reports all violations, not only the first`() throws {
        let guest = try guest(["age": 3, "nick": "X"])
        try guest.setValue(nil, forKey: "name")
        _ = try context.insertNewObject(forEntityName: "Guest")

        let failures = failures { try context.save() }

        #expect(failures.map(\.code).sorted() == [1570, 1570, 1570, 1620, 1670, 1680])
    }

    @Test func `counts the members of a relationship`() throws {
        let room = try context.insertNewObject(forEntityName: "Room")
        let guest = try guest(["room": room])
        func bags(_ count: Int) throws {
            let bags = try (0..<count).map { _ in
                try context.insertNewObject(forEntityName: "Bag")
            }
            try guest.setValue(bags, forKey: "bags")
        }
        let lonely = try context.insertNewObject(forEntityName: "Room")

        try bags(1)
        let tooFew = failures { try context.save() }
        try bags(4)
        let tooMany = failures { try context.save() }
        try context.delete(lonely)
        try bags(3)
        try context.save()

        #expect(Set(tooFew.map(\.code)) == [1580])
        #expect(Set(tooFew.compactMap(\.property)) == ["bags", "guests"])
        #expect(Set(tooMany.map(\.code)) == [1580, 1590])
    }

    @Test func `accepts an empty to-many that is not optional but has no minimum`() throws {
        let guest = try guest()
        let note = try context.insertNewObject(forEntityName: "Note")
        try guest.setValue([note], forKey: "notes")
        try context.save()
        _ = try self.guest()
        try guest.setValue([ManagedObject](), forKey: "notes")

        try context.save()

        #expect(!context.hasChanges)
    }

    @Test func `checks only what changed`() throws {
        let guest = try guest(["age": 20])
        try context.save()

        try guest.setValue("Eve", forKey: "name")
        try context.save()
        try guest.setValue(2, forKey: "age")
        let failures = failures { try context.save() }

        #expect(failures.map(\.code) == [1620])
    }

    @Test func `applies the object's own rules`() throws {
        let stack = try MusicStack()
        let context = try stack.context(classes: ObjectClasses([Tag.self]))
        let tag = try Tag(context: context)
        try tag.setValue("bad", forKey: "name")

        let failures = failures { try context.save() }

        #expect(failures.map(\.code) == [1550])
        #expect(failures.first?.rule == "no bad tags")
    }

    private final class Tag: ManagedObject, ObjectValidating {
        func checkObject(for operation: SaveOperation) throws {
            if try self["name"] == "bad" { throw Refusal() }
        }
    }

    private struct Refusal: Error, CustomStringConvertible {
        var description: String { "no bad tags" }
    }
}
