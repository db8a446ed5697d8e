import Cairn
import Foundation
import GraphSupport
import Testing

/// Records each hook that is called.
private final class Writer: ManagedObject, SavePreparing {
    private(set) var calls: [String] = []
    /// The name at the time the hook was called.
    private(set) var nameSeen: Value?

    func takeCalls() -> [String] {
        defer { calls = [] }
        return calls
    }

    override func awakeFromInsert() { calls.append("awakeFromInsert") }
    override func awakeFromFetch() {
        calls.append("awakeFromFetch")
        try? setValue("fetched", forKey: "pen")
    }
    override func awakeFromSnapshotEvents(_ events: SnapshotEvents) {
        calls.append("awakeFromSnapshotEvents \(events.rawValue)")
    }
    func prepareForSave() { calls.append("prepareForSave") }
    override func didSave() {
        calls.append(isDeleted ? "didSave deleted" : "didSave")
        nameSeen = try? self["name"]
    }
    override func prepareForDeletion() {
        calls.append("prepareForDeletion")
        nameSeen = try? self["name"]
    }
    override func willTurnIntoFault() {
        calls.append("willTurnIntoFault")
        nameSeen = isFault ? nil : try? self["name"]
    }
    override func didTurnIntoFault() { calls.append("didTurnIntoFault") }
}

@Suite struct `Hooks of an object` {
    private func inContext(
        _ type: StoreType, _ body: @Sendable (ManagedObjectContext) throws -> Void
    ) throws {
        try StudioStack(type).inContext(classes: ObjectClasses([Writer.self]), body)
    }

    private static func saved(_ context: ManagedObjectContext) throws -> Writer {
        let writer = try context.insert(Writer.self)
        try writer.setValue("Woolf", forKey: "name")
        try context.save()
        return writer
    }

    @Test(arguments: everyEngine)
    func `are called at each step of its life`(_ type: StoreType) throws {
        try inContext(type) { context in
            let writer = try Self.saved(context)
            let inserting = writer.takeCalls()
            try writer.setValue("V.", forKey: "name")
            try context.save()
            let updating = writer.takeCalls()
            try context.refresh(writer, mergeChanges: false)
            let turning = (writer.takeCalls(), writer.nameSeen, writer.isFault)
            _ = try writer["name"]
            let firing = writer.takeCalls()
            try context.delete(writer)
            let deleting = (writer.takeCalls(), writer.nameSeen)
            try context.save()

            #expect(inserting == ["awakeFromInsert", "prepareForSave", "didSave"])
            #expect(updating == ["prepareForSave", "didSave"])
            #expect(turning.0 == ["willTurnIntoFault", "didTurnIntoFault"])
            #expect(turning.1 == "V.")
            #expect(turning.2)
            #expect(firing == ["awakeFromFetch"])
            #expect(deleting.0 == ["prepareForDeletion"])
            #expect(deleting.1 == "V.")
            #expect(writer.takeCalls() == ["prepareForSave", "didSave deleted"])
            #expect(writer.nameSeen == "V.")
            #expect(writer.managedObjectContext == nil)
            #expect(!writer.isDeleted)
        }
    }

    @Test(arguments: everyEngine)
    func `are not called when a fault is refreshed`(_ type: StoreType) throws {
        try inContext(type) { context in
            let writer = try Self.saved(context)
            try context.refresh(writer, mergeChanges: false)
            _ = writer.takeCalls()

            try context.refresh(writer, mergeChanges: false)
            try context.refreshAllObjects()

            #expect(writer.takeCalls() == [])
        }
    }

    @Test(arguments: everyEngine)
    func `say that values came from a snapshot`(_ type: StoreType) throws {
        try inContext(type) { context in
            let writer = try Self.saved(context)
            try writer.setValue("V.", forKey: "name")
            _ = writer.takeCalls()

            try context.refresh(writer, mergeChanges: true)
            let refreshing = writer.takeCalls()
            context.rollback()

            #expect(
                refreshing == ["awakeFromSnapshotEvents \(SnapshotEvents.refresh.rawValue)"])
            #expect(
                writer.takeCalls()
                    == ["awakeFromSnapshotEvents \(SnapshotEvents.rollback.rawValue)"])
        }
    }

    @Test(arguments: everyEngine)
    func `say that changes of others were merged under its own`(_ type: StoreType) throws {
        let stack = try StudioStack(type)
        try stack.inContext(classes: ObjectClasses([Writer.self])) { context in
            let writer = try Self.saved(context)
            try writer.setValue("V.", forKey: "name")
            let changes = try Self.rename(writer, to: "Woolf, V.", in: stack)
            _ = writer.takeCalls()

            try context.refreshAllObjects()
            let refreshing = writer.takeCalls()
            try context.mergeChanges(changes)

            #expect(refreshing == ["awakeFromSnapshotEvents \(SnapshotEvents.refresh.rawValue)"])
            #expect(writer.takeCalls() == refreshing)
        }
    }

    @Test(
        arguments: everyEngine,
        [
            .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
        ] as [MergePolicyType])
    func `say that a merge policy decided`(_ type: StoreType, _ policy: MergePolicyType) throws {
        let stack = try StudioStack(type)
        try stack.inContext(classes: ObjectClasses([Writer.self])) { context in
            context.mergePolicy = StandardMergePolicy(policy)
            let writer = try Self.saved(context)
            try writer.setValue("V.", forKey: "name")
            _ = try Self.rename(writer, to: "Woolf, V.", in: stack)
            _ = writer.takeCalls()

            try context.save()

            let told = writer.takeCalls().filter { $0.hasPrefix("awakeFromSnapshotEvents") }
            #expect(told == ["awakeFromSnapshotEvents \(SnapshotEvents.mergePolicy.rawValue)"])
        }
    }

    /// Renames a writer in another context, and returns the saved changes.
    private static func rename(
        _ writer: ManagedObject, to name: String, in stack: StudioStack
    ) throws -> ObjectIDChanges {
        let id = writer.objectID
        try stack.fill { try $0.existingObject(with: id).setValue(name, forKey: "name") }
        var changes = ObjectIDChanges()
        changes.updated = [id]
        return changes
    }

    @Test(arguments: everyEngine)
    func `that set values after a fetch do not mark it as changed`(_ type: StoreType) throws {
        try inContext(type) { context in
            let writer = try Self.saved(context)
            try context.refresh(writer, mergeChanges: false)
            _ = try writer["name"]

            #expect(try writer["pen"] == "fetched")
            #expect(!writer.hasChanges)
            #expect(!context.hasChanges)
        }
    }
}

@Suite struct `The state of an object` {
    @Test(arguments: everyEngine)
    func `follows what happens to it`(_ type: StoreType) throws {
        try StudioStack(type).inContext { context in
            func state(_ object: ManagedObject) -> [Bool] {
                [
                    object.isInserted, object.isUpdated, object.isDeleted, object.isFault,
                    object.hasChanges, object.hasPersistentChangedValues,
                ]
            }
            let tag = try context.insert("Tag", ["name": "a"])
            let new = state(tag)
            try context.save()
            let saved = state(tag)
            try tag.setValue("b", forKey: "name")
            let changed = state(tag)
            try tag.setValue("a", forKey: "name")
            let setBack = state(tag)
            context.rollback()
            try tag.objects("books").insert(try context.insert("Book"))
            let related = state(tag)
            context.rollback()
            try context.refresh(tag, mergeChanges: false)
            let fault = state(tag)
            try context.delete(tag)
            let deleted = state(tag)

            #expect(new == [true, false, false, false, true, true])
            #expect(saved == [false, false, false, false, false, false])
            #expect(changed == [false, true, false, false, true, true])
            #expect(setBack == [false, true, false, false, true, false])
            #expect(related == [false, true, false, false, true, true])
            #expect(fault == [false, false, false, true, false, false])
            #expect(deleted.prefix(3) == [false, false, true])
        }
    }

    @Test(arguments: everyEngine)
    func `shows which relationships are faults, and their destinations`(_ type: StoreType) throws {
        let stack = try StudioStack(type)
        try stack.fill { context in
            let book = try context.insert("Book", ["title": "Orlando"])
            try book.setValue(
                try context.insert("Person", ["name": "Woolf"]), forKey: "author")
            for title in ["1", "2"] {
                try book.orderedObjects("chapters").append(
                    try context.insert("Chapter", ["title": title]))
            }
        }

        try stack.inContext { context in
            let book = try context.only("Book")
            let author = try context.object(
                with: try book.objectIDs(forRelationshipNamed: "author")[0])
            let before = try (
                book.hasFault(forRelationshipNamed: "author"),
                book.hasFault(forRelationshipNamed: "chapters")
            )
            let chapters = try book.objectIDs(forRelationshipNamed: "chapters")
            _ = try author["name"]

            #expect(before == (true, true))
            #expect(try !book.hasFault(forRelationshipNamed: "author"))
            #expect(try !book.hasFault(forRelationshipNamed: "chapters"))
            #expect(
                try chapters.map { try context.existingObject(with: $0)["title"] } == ["1", "2"])
            #expect(try book.objectIDs(forRelationshipNamed: "tags").isEmpty)
            #expect(throws: GraphError.self) { try book.objectIDs(forRelationshipNamed: "title") }
            #expect(throws: GraphError.self) { try book.hasFault(forRelationshipNamed: "title") }
        }
    }
}
