import Cairn
import Foundation
import GraphSupport
import Testing

/// The results of `value(forKey:)` and `setValue(_:forKey:)` for attributes with the built-in transformers.
@Suite struct `A transformable attribute` {
    private static let everything: ArchivableValue = [
        "text": "größe", "number": 42, "large": .unsigned(.max), "negative": -7, "real": 2.5,
        "flag": true, "nothing": .null,
        "decimal": .decimal(Decimal(string: "12345678901234567.89") ?? 0),
        "date": .date(Date(timeIntervalSinceReferenceDate: 12.25)),
        "data": .data(Data([1, 2, 3])),
        "uuid": .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))),
        "url": .url(URL(fileURLWithPath: "/tmp/cairn")), "list": [1, [2, [3]], []],
        "set": .set(["a", 1, [true]]), "ordered": .orderedSet(["b", "a"]), "none": [:],
        7: "a key that is a number",
    ]

    private func inNotebook(
        _ type: StoreType = .inMemory,
        _ body: @Sendable (ManagedObjectContext) throws -> Void
    ) throws {
        try Notebook.stack(type).inContext(body)
    }

    @Test(arguments: chosenEngines)
    func `without a transformer's name stores values of Swift types`(
        _ type: StoreType
    ) throws {
        let stack = try Notebook.stack(type)
        try stack.fill { context throws in
            _ = try context.insert("Note", ["tags": ["red", "blue"]])
        }

        try stack.inContext { context throws in
            let note = try context.only("Note")
            #expect(try note.value(forKey: "tags") as? [String] == ["red", "blue"])
            #expect(try note.transformedValue(forKey: "tags") == ["red", "blue"])
        }
    }

    @Test(arguments: chosenEngines, ["tags", "secure"])
    func `keeps every kind of value, even nested`(_ type: StoreType, _ key: String) throws {
        let stack = try Notebook.stack(type)
        try stack.fill { context throws in
            try context.insert("Note").setValue(Self.everything, forKey: key)
        }

        try stack.inContext { context throws in
            let note = try context.only("Note")
            #expect(try note.transformedValue(forKey: key) == Self.everything)
            let values = try #require(try note.value(forKey: key) as? [AnyHashable: Any])
            #expect(values["number"] as? Int64 == 42)
            #expect(values["flag"] as? Bool == true)
            #expect(values["nothing"] is NSNull)
            #expect(values[7 as Int64] as? String == "a key that is a number")
            // Setting the value that was read is not a change.
            try note.setValue(values, forKey: key)
            #expect(!context.hasChanges)
        }
    }

    @Test func `accepts Swift's and Foundation's values alike`() throws {
        let pairs: [(any Sendable, ArchivableValue)] = [
            ("text", "text"), (5, 5), (Int16(5), 5), (UInt64.max, .unsigned(.max)), (true, true),
            (1.5, 1.5), (Float(1.5), 1.5), (Decimal(3), .decimal(3)), (Data([1]), .data(Data([1]))),
            ([1, 2], [1, 2]), (Set(["a"]), .set(["a"])), (["a": 1], ["a": 1]),
            ([["a": [true]]], [["a": [true]]]), ([String](), []), ([String: Int](), [:]),
        ]
        try inNotebook { context throws in
            let note = try context.insert("Note")
            for (value, expected) in pairs {
                try note.setValue(value, forKey: "tags")
                #expect(try note.transformedValue(forKey: "tags") == expected)
            }
            let classes: [(Any, ArchivableValue)] = [
                (NSString(string: "text"), "text"), (NSNumber(value: 5), 5),
                (NSNumber(value: true), true), (NSNumber(value: 1.5), 1.5),
                (NSArray(array: [NSString(string: "a"), NSNull()]), ["a", .null]),
                (NSDictionary(dictionary: ["a": NSNumber(value: 0)]), ["a": 0]),
                (NSSet(array: ["a"]), .set(["a"])),
                (NSOrderedSet(array: ["b", "a"]), .orderedSet(["b", "a"])),
                (
                    NSDate(timeIntervalSinceReferenceDate: 1),
                    .date(Date(timeIntervalSinceReferenceDate: 1))
                ),
            ]
            for (value, expected) in classes {
                try note.setValue(value, forKey: "tags")
                #expect(try note.transformedValue(forKey: "tags") == expected, "\(value)")
            }
        }
    }

    @Test func `refuses a value of an unsupported type, and stays unchanged`() throws {
        struct Odd {}
        try inNotebook { context throws in
            let note = try context.insert("Note", ["tags": ["kept"]])

            for value in [Odd(), [Odd()], ["a": Odd()], NSNull(), ArchivableValue.null] as [Any] {
                let error = #expect(throws: GraphError.self) {
                    try note.setValue(value, forKey: "tags")
                }
                guard case .transformation(let failure)? = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
                #expect(failure.entity == "Note")
                #expect(failure.attribute == "tags")
                #expect(failure.transformer == "NSKeyedUnarchiveFromData")
                #expect(failure.direction == .writing)
            }

            #expect(try note.transformedValue(forKey: "tags") == ["kept"])
        }
    }

    @Test(arguments: chosenEngines)
    func `that is nil is nil, and can be set to nil`(_ type: StoreType) throws {
        let stack = try Notebook.stack(type)
        try stack.fill { context throws in
            _ = try context.insert("Note", ["title": "none"])
            _ = try context.insert("Note", ["title": "some", "tags": ["a"]])
        }

        try stack.fill { context throws in
            let none = try context.only("Note", where: "title == 'none'")
            #expect(try none.value(forKey: "tags") == nil)
            #expect(try none.transformedValue(forKey: "tags", as: [String].self) == nil)
            let some = try context.only("Note", where: "title == 'some'")
            try some.setValue(nil, forKey: "tags")
        }

        try stack.inContext { context throws in
            #expect(
                try context.count(for: FetchRequest<ManagedObject>("Note", where: "tags == nil"))
                    == 2)
        }
    }

    @Test func `set to an equal value is unchanged, whoever archived the value`() throws {
        let stack = try Notebook.stack(.sqlite)
        // Foundation's archive of the same value has different bytes.
        let theirs = try NSKeyedArchiver.archivedData(
            withRootObject: NSMutableArray(array: [NSString(string: "a"), NSString(string: "b")]),
            requiringSecureCoding: true)
        try stack.fill { context throws in
            try context.insert("Note").setValue(Value.transformable(theirs), forKey: "tags")
        }

        try stack.inContext { context throws in
            let note = try context.only("Note")
            #expect(try (["a", "b"] as ArchivableValue).keyedArchive() != theirs)
            try note.setValue(["a", "b"], forKey: "tags")
            #expect(!context.hasChanges)
            #expect(note.primitiveValue(forKey: "tags") as? Data == theirs)
            try note.setValue(["a"], forKey: "tags")
            #expect(context.hasChanges)
        }
    }

    @Test func `has its bytes as its primitive value and its general value`() throws {
        try inNotebook { context throws in
            let note = try context.insert("Note", ["tags": ["a"]])
            let bytes = try (["a"] as ArchivableValue).keyedArchive()

            #expect(note.primitiveValue(forKey: "tags") as? Data == bytes)
            #expect(try note["tags"] == .transformable(bytes))
            #expect(note.changedValues()["tags"] == .transformable(bytes))

            let others = try ([1, 2] as ArchivableValue).keyedArchive()
            try note.setPrimitiveValue(others, forKey: "tags")
            #expect(try note.value(forKey: "tags") as? [Int64] == [1, 2])
            #expect(try note.transformedValue(forKey: "tags", as: [Int].self) == [1, 2])
        }
    }

    @Test(arguments: chosenEngines)
    func `with an archive of another class names that class`(_ type: StoreType) throws {
        let stack = try Notebook.stack(type)
        let archive = archive(ofClass: "AppColor")
        try stack.fill { context throws in
            let note = try context.insert("Note", ["title": "odd"])
            try note.setValue(Value.transformable(archive), forKey: "tags")
        }

        try stack.inContext { context throws in
            let note = try context.only("Note")
            let error = #expect(throws: GraphError.self) { try note.value(forKey: "tags") }
            let text = error?.description ?? ""
            for part in ["Note.tags", "AppColor", "NSKeyedUnarchiveFromData", "primitiveValue"] {
                #expect(text.contains(part), "\(text)")
            }
            #expect(error?.code == 4864)
            #expect(note.primitiveValue(forKey: "tags") as? Data == archive)
            #expect(try note.value(forKey: "title") as? String == "odd")
            #expect(!context.hasChanges)
        }
    }

    /// Returns a keyed archive of an object whose class exists only in an app.
    private func archive(ofClass name: String) -> Data {
        var builder = KeyedArchiveBuilder()
        let root = builder.add(name, [("hex", .integer(0xFF8000))])
        return Data(builder.finish(root: root))
    }

    @Test func `that is transient is also transformed`() throws {
        try inNotebook { context throws in
            let note = try context.insert("Note", ["draft": ["first"]])

            #expect(try note.value(forKey: "draft") as? [String] == ["first"])
            #expect(note.primitiveValue(forKey: "draft") is Data)
        }
    }

    @Test(arguments: chosenEngines)
    func `is read over a relationship, for each member`(_ type: StoreType) throws {
        let stack = try Notebook.stack(type)
        try stack.fill { context throws in
            let folder = try context.insert("Folder", ["name": "all"])
            for number in [1, 2] {
                _ = try context.insert("Note", ["tags": ["tag \(number)"], "folder": folder])
            }
            _ = try context.insert("Note", ["folder": folder])
        }

        try stack.inContext { context throws in
            let folder = try context.only("Folder")
            let tags = try #require(try folder.value(forKeyPath: "notes.tags") as? [[String]])
            #expect(Set(tags) == [["tag 1"], ["tag 2"]])
            let note = try context.only("Note", where: "tags == nil")
            try note.setValue(["set"], forKeyPath: "tags")
            #expect(try note.value(forKeyPath: "tags") as? [String] == ["set"])
        }
    }

    @Test func `can be checked before it is set`() throws {
        try inNotebook { context throws in
            let note = try context.insert("Note")

            let checked = try note.validateValue(["a"], forKey: "tags")

            #expect(checked as? [String] == ["a"])
            #expect(throws: GraphError.self) {
                try note.validateValue([ObjectIdentifier(note)], forKey: "tags")
            }
        }
    }

    @Test func `has its former value after undo`() throws {
        try inNotebook { context throws in
            context.undoManager = UndoManager()
            let note = try context.insert("Note", ["tags": ["before"]])
            try context.save()
            context.undoManager?.removeAllActions()

            try note.setValue(["after"], forKey: "tags")
            context.processPendingChanges()
            context.undo()

            #expect(try note.value(forKey: "tags") as? [String] == ["before"])
        }
    }
}
