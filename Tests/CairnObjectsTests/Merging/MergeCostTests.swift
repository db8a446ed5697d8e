import CairnModel
import StackSupport
import Testing

@testable import CairnObjects
@testable import CairnStack

/// The cost of merging changes from elsewhere.
@Suite struct `Merging 10,000 changes` {
    @Test func `asks the store once, only for objects that the context has`() throws {
        let stack = try MusicStack()
        let writer = try stack.context()
        var tags: [ManagedObject] = []
        for _ in 0..<10_000 { tags.append(try writer.insertNewObject(forEntityName: "Tag")) }
        try writer.save()
        let context = try stack.context()
        let held = try tags.prefix(7).map { try context.existingObject(with: $0.objectID) }
        for tag in tags { try tag.setValue("new", forKey: "name") }
        try writer.save()
        var changes = ObjectIDChanges()
        changes.updated = Set(tags.map(\.objectID))
        stack.source.resetCounts()

        try context.mergeChanges(changes)

        #expect(stack.source.count("freshRows") == 1)
        #expect(stack.source.count("rows") == 0)
        #expect(context.registeredObjects == Set(held))
        for tag in held { #expect(try tag["name"] == "new") }
    }

    @Test func `leaves faults unfired`() throws {
        let stack = try MusicStack()
        let context = try stack.context()
        let tag = try context.insertNewObject(forEntityName: "Tag")
        try context.save()
        try context.refresh(tag, mergeChanges: false)
        var changes = ObjectIDChanges()
        changes.updated = [tag.objectID]
        stack.source.resetCounts()

        try context.mergeChanges(changes)

        #expect(tag.isFault)
        #expect(stack.source.count("freshRows") == 0)
    }
}
