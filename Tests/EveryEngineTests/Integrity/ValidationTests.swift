import Cairn
import Foundation
import GraphSupport
import Testing

/// Trims its name, and rejects one name.
private final class Person: ManagedObject, ValueValidating, ObjectValidating {
    struct Forbidden: Error {}

    func checkValue(_ value: inout Value, forKey key: String) throws {
        guard key == "name", case .string(let name) = value else { return }
        if name == "Nobody" { throw Forbidden() }
        value = .string(name.trimmingCharacters(in: .whitespaces))
    }
    func checkObject(for operation: SaveOperation) throws {
        if operation == .insertion { return }
        if try self["name"] == .string("no \(operation)") { throw Forbidden() }
    }
}

/// Checks only its age, in a class between two classes that check nothing.
private enum Inherited {
    class Silent: ManagedObject {}
    class Checking: Silent, ValueValidating {
        func checkValue(_ value: inout Value, forKey key: String) throws {
            if key == "age", case .integer(let age) = value { value = .integer(age + 1) }
        }
    }
    final class Person: Checking {}
}

/// Inserts a person without a name while it is checked.
private enum Inserting {
    final class Person: ManagedObject, ObjectValidating {
        func checkObject(for operation: SaveOperation) throws {
            guard try self["name"] == "host" else { return }
            _ = try managedObjectContext?.insertNewObject(forEntityName: "Person")
        }
    }
}

@Suite struct `Validation before a save` {
    private static let classes = ObjectClasses([Person.self])

    private static func failures(
        _ body: () throws -> Void
    ) -> (code: Int?, failures: [ValidationFailure]) {
        do {
            try body()
        } catch let error as GraphError {
            if case .validation(let failures) = error { return (error.code, failures) }
        } catch {}
        return (nil, [])
    }

    @Test(arguments: everyEngine)
    func `has the code of one broken rule, and 1560 for several`(_ type: StoreType) throws {
        let stack = try StudioStack(type)
        try stack.inContext(classes: Self.classes) { context in
            let person = try context.insert(Person.self)
            let missing = Self.failures { try context.save() }
            try person.setValue(200, forKey: "age")
            let several = Self.failures { try context.save() }
            try person.setValue("Nobody", forKey: "name")
            try person.setValue(20, forKey: "age")
            let forbidden = Self.failures { try context.save() }

            #expect(missing.code == 1570)
            #expect(several.code == 1560)
            #expect(several.failures.map(\.code).sorted() == [1570, 1610])
            #expect(several.failures.allSatisfy { $0.object == person.objectID })
            #expect(forbidden.code == 1550)
            #expect(forbidden.failures.map(\.property) == ["name"])
            #expect(person.isInserted)
        }
    }

    @Test(arguments: everyEngine)
    func `lets a class change a value`(_ type: StoreType) throws {
        let stack = try StudioStack(type)
        try stack.inContext(classes: Self.classes) { context in
            let person = try context.insert(Person.self)
            try person.setValue("  Woolf ", forKey: "name")
            try context.save()
        }

        try stack.inContext { context in
            let person = try context.only("Person")

            #expect(try person["name"] == "Woolf")
        }
    }

    @Test(arguments: everyEngine)
    func `calls the rules that a class inherits, for each property and each save`(_ type: StoreType)
        throws
    {
        let stack = try StudioStack(type)
        try stack.inContext(classes: ObjectClasses([Inherited.Person.self])) { context in
            let person = try context.insert(Inherited.Person.self)
            try person.setValue("Woolf", forKey: "name")
            try person.setValue(20, forKey: "age")
            try context.save()
            #expect(try person["age"] == 21)
            try person.setValue("Virginia", forKey: "name")
            try context.save()
            #expect(try person["age"] == 21)
            try person.setValue(30, forKey: "age")
            try context.save()
            #expect(try person["age"] == 31)
            #expect(try person["name"] == "Virginia")
        }
    }

    @Test(arguments: everyEngine)
    func `calls a class for updates and deletions`(_ type: StoreType) throws {
        let stack = try StudioStack(type)
        try stack.inContext(classes: Self.classes) { context in
            let person = try context.insert(Person.self)
            try person.setValue("no update", forKey: "name")
            try context.save()
            try person.setValue(3, forKey: "age")
            let update = Self.failures { try context.save() }
            try person.setValue("no deletion", forKey: "name")
            try context.save()
            try context.delete(person)
            let deletion = Self.failures { try context.save() }
            context.rollback()

            #expect(update.code == 1550)
            #expect(deletion.code == 1550)
            #expect(try context.only("Person")["name"] == "no deletion")
        }
    }

    @Test(arguments: everyEngine)
    func `checks objects that its hooks insert`(_ type: StoreType) throws {
        let stack = try StudioStack(type)
        try stack.inContext(classes: ObjectClasses([Inserting.Person.self])) { context in
            let host = try context.insert(Inserting.Person.self)
            try host.setValue("host", forKey: "name")

            let insertion = Self.failures { try context.save() }

            #expect(insertion.code == 1570)
            #expect(context.insertedObjects == [host])
        }
    }

    @Test(arguments: everyEngine)
    func `can be done for a single value`(_ type: StoreType) throws {
        try StudioStack(type).inContext(classes: Self.classes) { context in
            let person = try context.insert(Person.self)

            #expect(try person.validateValue(" A ", forKey: "name") as? String == "A")
            #expect(
                Self.failures { try person.validateValue(nil, forKey: "name") }.code == 1570)
            #expect(
                Self.failures { try person.validateValue("Nobody", forKey: "name") }.code == 1550)
            #expect(Self.failures { try person.validateValue(-1, forKey: "age") }.code == 1620)
            #expect(throws: GraphError.self) { try person.validateValue("x", forKey: "age") }
            #expect(throws: GraphError.self) { try person.validateValue(1, forKey: "none") }
            #expect(try person.validateValue(person, forKey: "mentor") as? Person === person)
            #expect(try person["name"] == .null)
        }
    }
}
