import Cairn
import Foundation
import GraphSupport
import Testing

@Suite struct `Validation at a save` {
    @Test(arguments: chosenEngines)
    func `checks an object again if a later object's hook made it invalid`(
        _ type: StoreType
    ) throws {
        try inHookedLibrary(type) { context throws in
            let tag = try context.insertHooked("Tag", ["name": "good"])
            let author = try context.insertHooked("Author")
            author.onValidate = { _ in try tag.setValue("x", forKey: "name") }

            let error = #expect(throws: GraphError.self) { try context.save() }

            #expect(error?.code == 1670)
            #expect(try context.count(for: Self.stored("Tag")) == 0)
        }
    }

    private static func stored(_ entity: String) -> FetchRequest<ManagedObject> {
        var request = FetchRequest<ManagedObject>(entity)
        request.includesPendingChanges = false
        return request
    }

    @Test(arguments: chosenEngines)
    func `calls an object's hook again if a later object's hook changed it`(
        _ type: StoreType
    ) throws {
        try inHookedLibrary(type) { context throws in
            let tag = try context.insertHooked("Tag", ["name": "good"])
            let author = try context.insertHooked("Author")
            author.onValidate = { _ in try tag.setValue("better", forKey: "name") }
            try context.save()

            #expect(tag.callCount("checkObject insertion") == 2)
            #expect(author.callCount("checkObject insertion") == 1)
        }
    }

    @Test(arguments: chosenEngines)
    func `checks a stored object that only a hook changed`(_ type: StoreType) throws {
        try inHookedLibrary(type) { context throws in
            let tag = try context.insertHooked("Tag", ["name": "good"])
            try context.save()
            let author = try context.insertHooked("Author")
            author.onValidate = { _ in try tag.setValue("x", forKey: "name") }

            let error = #expect(throws: GraphError.self) { try context.save() }
            #expect(error?.code == 1670)
        }
    }

    @Test(arguments: chosenEngines)
    func `checks an object as changed by its own hook, and calls the hook once`(
        _ type: StoreType
    ) throws {
        try inHookedLibrary(type) { context throws in
            let tag = try context.insertHooked("Tag", ["name": "good"])
            tag.onValidate = { try $0.setValue("x", forKey: "name") }

            let error = #expect(throws: GraphError.self) { try context.save() }

            #expect(error?.code == 1670)
            #expect(tag.callCount("checkObject insertion") == 1)
        }
    }

    @Test(arguments: chosenEngines)
    func `ends if a hook always changes its own object`(_ type: StoreType) throws {
        try inHookedLibrary(type) { context throws in
            let author = try context.insertHooked("Author", ["born": 0])
            author.onValidate = { author in
                guard case .integer(let born) = try author["born"] else { return }
                try author.setValue(born + 1, forKey: "born")
            }
            try context.save()

            #expect(try author["born"] == 1)
        }
    }

    @Test(arguments: chosenEngines)
    func `ends with an error if hooks keep changing each other's objects`(
        _ type: StoreType
    ) throws {
        try inHookedLibrary(type) { context throws in
            let first = try context.insertHooked("Author", ["born": 0])
            let second = try context.insertHooked("Author", ["born": 0])
            for (one, other) in [(first, second), (second, first)] {
                one.onValidate = { _ in
                    guard case .integer(let born) = try other["born"] else { return }
                    try other.setValue(born + 1, forKey: "born")
                }
            }

            let error = #expect(throws: GraphError.self) { try context.save() }
            #expect(error?.description.contains("Author") == true)
        }
    }

    @Test(arguments: chosenEngines)
    func `has the code of the rule that is broken`(_ type: StoreType) throws {
        let cases: [(String, String, any Sendable, Int)] = [
            ("Book", "pages", -1, 1620), ("Book", "pages", 9999, 1610),
            ("Tag", "name", "x", 1670), ("Tag", "name", "much too long a name", 1660),
        ]
        for (entity, key, value, code) in cases {
            try inLibrary(type) { context throws in
                _ = try context.insert(entity, [key: value])
                let error = #expect(throws: GraphError.self) { try context.save() }
                #expect(error?.code == code)
            }
        }
    }

    @Test(arguments: chosenEngines)
    func `reports a missing required value`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let author = try context.insert("Author")
            try author.setValue(nil, forKey: "name")

            let error = #expect(throws: GraphError.self) { try context.save() }
            #expect(error?.code == 1570)
        }
    }

    @Test(arguments: chosenEngines)
    func `reports every broken rule of every object`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            _ = try context.insert("Tag", ["name": "x"])
            _ = try context.insert("Book", ["pages": -1])

            let error = #expect(throws: GraphError.self) { try context.save() }

            #expect(error?.code == 1560)
            guard case .validation(let failures) = error else { return }
            #expect(Set(failures.compactMap(\.property)) == ["name", "pages"])
        }
    }

    @Test(arguments: chosenEngines)
    func `leaves the context and the store unchanged if it fails`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let tag = try context.insert("Tag", ["name": "x"])
            let good = try context.insert("Tag", ["name": "good"])
            try? context.save()

            #expect(context.insertedObjects == [tag, good])
            #expect(tag.objectID.isTemporary && good.objectID.isTemporary)
            #expect(try context.count(for: Self.stored("Tag")) == 0)
            try tag.setValue("fine", forKey: "name")
            try context.save()
            #expect(try context.count(for: Self.stored("Tag")) == 2)
        }
    }

    @Test(arguments: chosenEngines)
    func `does not check stored values that nobody changed`(_ type: StoreType) throws {
        try inHookedLibrary(type) { context throws in
            let tag = try context.insertHooked("Tag", ["name": "good"])
            let other = try context.insertHooked("Tag", ["name": "other"])
            try context.save()
            _ = (tag.takeCalls(), other.takeCalls())
            try tag.setValue("better", forKey: "name")
            try context.save()

            #expect(tag.callCount("checkObject update") == 1)
            #expect(other.calls == [])
        }
    }

    @Test(arguments: chosenEngines)
    func `checks a deleted object's deletion, but not its values`(_ type: StoreType) throws {
        try inHookedLibrary(type) { context throws in
            let tag = try context.insertHooked("Tag", ["name": "good"])
            try context.save()
            _ = tag.takeCalls()
            try tag.setValue("x", forKey: "name")
            try context.delete(tag)
            try context.save()

            #expect(tag.callCount("checkObject deletion") == 1)
            #expect(tag.callCount("checkObject update") == 0)
        }
    }
}
