import Cairn
import Foundation
import GraphSupport
import Testing

/// An object that trims names, refuses one name, and runs a closure of the test when it is validated.
private final class CheckedObject: ManagedObject, ValueValidating, ObjectValidating {
    struct Refused: Error {}
    var checkedKeys: [String] = []
    var operations: [SaveOperation] = []
    var onCheck: ((CheckedObject) throws -> Void)?

    func checkValue(_ value: inout Value, forKey key: String) throws {
        checkedKeys.append(key)
        guard key == "name", case .string(let name) = value else { return }
        if name == "forbidden" { throw Refused() }
        value = .string(name.trimmingCharacters(in: .whitespaces))
    }

    func checkObject(for operation: SaveOperation) throws {
        operations.append(operation)
        try onCheck?(self)
    }
}

@Suite struct `Validation without a save` {
    private static func codes(_ body: () throws -> Void) -> [Int] {
        do {
            try body()
        } catch GraphError.validation(let failures) {
            return failures.map(\.code).sorted()
        } catch {
            Issue.record("\(error)")
        }
        return []
    }

    private func inChecked(
        _ type: StoreType, _ body: @Sendable (ManagedObjectContext) throws -> Void
    ) throws {
        try inLibrary(type, classes: Library.classes(CheckedObject.self), body)
    }

    @Test(arguments: chosenEngines)
    func `throws what a save would throw`(_ type: StoreType) throws {
        let cases: [(String, [String: any Sendable], [Int])] = [
            ("Book", ["pages": -1], [1620]), ("Book", ["pages": 9999], [1610]),
            ("Tag", ["name": "x"], [1670]), ("Tag", ["name": "much too long a name"], [1660]),
            ("Tag", ["name": "good"], []), ("Author", [:], []),
        ]
        for (entity, values, expected) in cases {
            try inLibrary(type) { context throws in
                let object = try context.insert(entity, values)

                #expect(Self.codes { try object.validateForInsert() } == expected)
                #expect(Self.codes { try object.validateForUpdate() } == expected)
                #expect(Self.codes { try context.save() } == expected)
                #expect(object.isInserted == !expected.isEmpty)
            }
        }
    }

    @Test(arguments: chosenEngines)
    func `reports several broken rules together, as a save does`(_ type: StoreType) throws {
        let stack = try StudioStack(type, Self.strictEntities)
        try stack.inContext { context throws in
            let band = try context.insert("Band", ["code": "abc", "rank": 9])
            let expected = [1570, 1580, 1610, 1680]

            #expect(Self.codes { try band.validateForInsert() } == expected)
            let error = #expect(throws: (any Error).self) { try band.validateForInsert() }
            #expect((error as? GraphError)?.code == 1560)
            #expect(Self.codes { try context.save() } == expected)
            try band.setValue("1", forKey: "code")
            try band.setValue(1, forKey: "rank")
            try band.setValue("x", forKey: "name")
            for _ in 0..<4 {
                try band.objects("members").insert(try context.insert("Member"))
            }
            #expect(Self.codes { try band.validateForInsert() } == [1590])
        }
    }

    /// Entities with a required name, a pattern, a range, and a to-many relationship with two to three
    /// members.
    private static var strictEntities: [EntityDescription] {
        var members = RelationshipDescription(
            "members", to: "Member", isToMany: true, inverse: "band")
        (members.minimumCount, members.maximumCount) = (2, 3)
        members.isOptional = false
        return [
            EntityDescription(
                "Band",
                [
                    .attribute("name", .string, isOptional: false),
                    .attribute(
                        "code", .string, isOptional: true,
                        validationRules: [.matches(regularExpression: "[0-9]+")]),
                    .attribute(
                        "rank", .integer16, isOptional: true, validationRules: [.maximum(5)]),
                    .relationship(members),
                ]),
            EntityDescription("Member", [.toOne("band", "Band", inverse: "members")]),
        ]
    }

    @Test(arguments: chosenEngines)
    func `checks a stored object's changes, or all of it`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let tag = try context.insert("Tag", ["name": "good"])
            try context.save()
            #expect(Self.codes { try tag.validateForUpdate() } == [])
            try tag.setValue("x", forKey: "name")

            #expect(Self.codes { try tag.validateForUpdate() } == [1670])
            #expect(Self.codes { try tag.validateForInsert() } == [1670])
            try tag.setValue("fine", forKey: "name")
            #expect(Self.codes { try tag.validateForUpdate() } == [])
            try context.save()
            context.reset()
            let fault = try context.object(with: tag.objectID)
            #expect(Self.codes { try fault.validateForUpdate() } == [])
            #expect(fault.isFault)
            #expect(Self.codes { try fault.validateForInsert() } == [])
        }
    }

    @Test(arguments: chosenEngines)
    func `asks the deny rule before a deletion`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let author = try context.insert("Author")
            let club = try context.insert("Club", ["members": [author]])
            try context.save()

            #expect(Self.codes { try club.validateForDelete() } == [1600])
            #expect(Self.codes { try author.validateForDelete() } == [])
            #expect(!club.isDeleted && !context.hasChanges)
            try context.delete(club)
            #expect(Self.codes { try context.save() } == [1600])
            #expect(Self.codes { try club.validateForDelete() } == [1600])
            try context.delete(author)
            #expect(Self.codes { try club.validateForDelete() } == [])
            try context.save()
        }
    }

    @Test(arguments: chosenEngines)
    func `checks the model's rules and the class once, as a save does`(_ type: StoreType) throws {
        try inChecked(type) { context throws in
            let tag = try #require(
                try context.insert("Tag", ["name": "x"]) as? CheckedObject)
            #expect(Self.codes { try tag.validateForInsert() } == [1670])
            #expect(tag.checkedKeys == ["name"])
            #expect(tag.operations == [.insertion])
            (tag.checkedKeys, tag.operations) = ([], [])

            #expect(Self.codes { try context.save() } == [1670])
            #expect(tag.checkedKeys == ["name"])
            #expect(tag.operations == [.insertion])
            try tag.setValue("  good ", forKey: "name")
            try context.save()
            #expect(try tag["name"] == "good")
            tag.operations = []
            try tag.setValue("y", forKey: "name")
            #expect(Self.codes { try tag.validateForUpdate() } == [1670])
            #expect(Self.codes { try context.save() } == [1670])
            #expect(tag.operations == [.update, .update])
        }
    }

    @Test(arguments: chosenEngines)
    func `adds the errors of the class's own checks`(_ type: StoreType) throws {
        try inChecked(type) { context throws in
            let tag = try #require(
                try context.insert("Tag", ["name": "x"]) as? CheckedObject)
            tag.onCheck = { tag in
                throw ValidationFailure(
                    code: 9000, object: tag.objectID, entity: "Tag", property: nil, rule: "own")
            }

            #expect(Self.codes { try tag.validateForInsert() } == [1670, 9000])
            #expect(Self.codes { try context.save() } == [1670, 9000])
        }
    }

    /// Code written for Core Data calls `super` in its hooks. The equivalent here, a call of the object's own
    /// validation, must neither recurse nor report a violation twice.
    @Test(arguments: chosenEngines)
    func `checks only the model's rules inside the object's own check`(_ type: StoreType) throws {
        try inChecked(type) { context throws in
            let tag = try #require(
                try context.insert("Tag", ["name": "x"]) as? CheckedObject)
            tag.onCheck = { try $0.validateForInsert() }

            #expect(Self.codes { try tag.validateForInsert() } == [1670])
            #expect(Self.codes { try context.save() } == [1670])
            #expect(tag.operations == [.insertion, .insertion])
        }
    }

    @Test(arguments: chosenEngines)
    func `checks values that the class's check changed`(_ type: StoreType) throws {
        try inChecked(type) { context throws in
            let tag = try #require(
                try context.insert("Tag", ["name": "x"]) as? CheckedObject)
            tag.onCheck = { try $0.setValue("good", forKey: "name") }
            try context.save()
            #expect(try tag["name"] == "good")

            tag.onCheck = { try $0.setValue("y", forKey: "name") }
            try tag.setValue("other", forKey: "name")
            #expect(Self.codes { try context.save() } == [1670])
        }
    }

    @Test(arguments: chosenEngines)
    func `keeps the error of a value when a check changes the object`(_ type: StoreType) throws {
        try inChecked(type) { context throws in
            let author = try #require(
                try context.insert("Author", ["name": "forbidden"]) as? CheckedObject)
            author.onCheck = { try $0.setValue(1, forKey: "born") }

            #expect(Self.codes { try context.save() } == [1550])
            #expect(Self.codes { try author.validateForInsert() } == [1550])
            author.onCheck = { try $0.setValue("fine", forKey: "name") }
            try context.save()
            #expect(try author["name"] == "fine")
        }
    }

    @Test(arguments: chosenEngines)
    func `reports a denied deletion once`(_ type: StoreType) throws {
        try inChecked(type) { context throws in
            let author = try context.insert("Author")
            let club = try #require(
                try context.insert("Club", ["members": [author]]) as? CheckedObject)
            try context.save()
            club.operations = []
            club.onCheck = { try $0.validateForDelete() }
            #expect(Self.codes { try club.validateForDelete() } == [1600])
            try context.delete(club)

            #expect(Self.codes { try context.save() } == [1600])
            #expect(club.operations == [.deletion, .deletion])
        }
    }

    @Test(arguments: chosenEngines)
    func `may check another object inside a check`(_ type: StoreType) throws {
        try inChecked(type) { context throws in
            let tag = try context.insert("Tag", ["name": "good"])
            let author = try #require(try context.insert("Author") as? CheckedObject)
            author.onCheck = { _ in try tag.validateForInsert() }
            try context.save()
            try tag.setValue("x", forKey: "name")
            try author.setValue(1, forKey: "born")
            author.onCheck = { _ in try tag.validateForUpdate() }

            #expect(Set(Self.codes { try context.save() }) == [1670])
        }
    }

    @Test(arguments: chosenEngines)
    func `refuses an object that no longer exists`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let tag = try context.insert("Tag", ["name": "good"])
            try context.save()
            try context.delete(tag)
            try context.save()

            for body in [tag.validateForInsert, tag.validateForUpdate, tag.validateForDelete] {
                let error = #expect(throws: (any Error).self) { try body() }
                guard case GraphError.objectGone? = error else {
                    Issue.record("\(error as Any)")
                    continue
                }
            }
        }
    }

    @Test(arguments: chosenEngines)
    func `checks a single value and changes nothing`(_ type: StoreType) throws {
        try inChecked(type) { context throws in
            let tag = try context.insert("Tag", ["name": "good"])
            let author = try context.insert("Author")

            #expect(Self.codes { try tag.validateValue("x", forKey: "name") } == [1670])
            #expect(Self.codes { try author.validateValue(nil, forKey: "name") } == [1570])
            #expect(Self.codes { try author.validateValue("forbidden", forKey: "name") } == [1550])
            #expect(try tag.validateValue(" fine ", forKey: "name") as? String == "fine")
            #expect(try tag["name"] == "good")
            #expect(throws: GraphError.self) { try tag.validateValue(5, forKey: "name") }
            #expect(throws: GraphError.self) { try tag.validateValue("x", forKey: "nome") }
        }
    }
}
