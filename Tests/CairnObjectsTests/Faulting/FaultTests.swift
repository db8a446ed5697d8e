import CairnModel
import StackSupport
import Testing

@testable import CairnObjects
@testable import CairnStack

private final class Tag: ManagedObject {
    @Managed var name: String?
}

@Suite struct Faults {
    private let stack: MusicStack
    private let context: ManagedObjectContext

    init() throws {
        stack = try MusicStack()
        context = try stack.context(classes: ObjectClasses([Tag.self]))
    }

    private func savedTags(_ count: Int) throws -> [ObjectID] {
        let writer = try stack.context()
        let tags = try (0..<count).map { number in
            let tag = try writer.insertNewObject(forEntityName: "Tag")
            try tag.setValue("tag \(number)", forKey: "name")
            return tag
        }
        try writer.save()
        return tags.map(\.objectID)
    }

    @Test func `an object requests its values once, when the first one is read`() throws {
        let id = try savedTags(1)[0]
        stack.source.resetCounts()

        let tag = try context.object(with: id)
        let before = (tag.isFault, stack.source.count("rows"))
        let name = try tag["name"]
        _ = try tag["name"]

        #expect(before == (true, 0))
        #expect(name == "tag 0")
        #expect(!tag.isFault)
        #expect(stack.source.count("rows") == 1)
    }

    @Test func `many faults are fired in one call`() throws {
        let tags = try savedTags(1200).map { try context.object(with: $0) }
        stack.source.resetCounts()

        try context.faults.fire(tags)

        #expect(tags.allSatisfy { !$0.isFault })
        #expect(stack.source.count("rows") == 1)
    }

    @Test func `there is one object per ID while it is held, and none afterwards`() throws {
        let id = try savedTags(1)[0]
        var tag: ManagedObject? = try context.object(with: id)
        let same = try context.existingObject(with: id) === tag

        tag = nil

        #expect(same)
        #expect(tag == nil)
        #expect(context.registeredObject(for: id) == nil)
        #expect(context.registeredObjects.isEmpty)
    }

    @Test func `the context holds an object that has changes`() throws {
        let id = try savedTags(1)[0]
        try context.object(with: id).setValue("kept", forKey: "name")

        let kept = context.registeredObject(for: id)

        #expect(try kept?["name"] == "kept")
        #expect(context.updatedObjects.count == 1)
    }

    @Test func `a missing row throws an error if the call can throw, and is reported otherwise`()
        throws
    {
        let id = try savedTags(1)[0]
        let missing = ObjectID(
            store: id.store, rootEntity: id.rootEntity, entity: id.entity, key: 999)
        let ghost = try #require(try context.object(with: missing) as? Tag)
        var reported: [ObjectID] = []
        context.faultFailureHandler = { _, object in reported.append(object.objectID) }

        let name = ghost.name
        let error = #expect(throws: GraphError.self) { try ghost["name"] }

        #expect(name == nil)
        #expect(reported == [missing])
        guard case .objectGone(missing, .notInStore) = error else {
            Issue.record("not gone: \(String(describing: error))")
            return
        }
    }

    @Test func `refreshing makes a fault, or keeps changes on top of newer values`() throws {
        let ids = try savedTags(2)
        let (one, two) = (try context.object(with: ids[0]), try context.object(with: ids[1]))
        try one.setValue("mine", forKey: "name")
        try two.setValue("mine", forKey: "name")
        let other = try stack.context()
        try other.object(with: ids[1]).setValue("theirs", forKey: "name")
        try other.save()

        try context.refresh(one, mergeChanges: false)
        try context.refresh(two, mergeChanges: true)

        #expect(one.isFault)
        #expect(!one.hasChanges)
        #expect(try one["name"] == "tag 0")
        #expect(try two["name"] == "mine")
        #expect(two.committedValues(forKeys: nil)["name"] == "theirs")
    }

    @Test func `rolling back shows stored values and drops new objects`() throws {
        let tag = try context.object(with: try savedTags(1)[0])
        let track = try context.insertNewObject(forEntityName: "Track")
        try track.objects("tags").insert(tag)
        try tag.setValue("mine", forKey: "name")

        context.rollback()

        #expect(try tag["name"] == "tag 0")
        #expect(try tag.objects("tracks").isEmpty)
        #expect(track.managedObjectContext == nil)
        #expect(!context.hasChanges)
    }

    @Test func `resetting releases everything`() throws {
        let tag = try context.object(with: try savedTags(1)[0])
        try tag.setValue("mine", forKey: "name")

        context.reset()

        #expect(tag.managedObjectContext == nil)
        #expect(context.registeredObjects.isEmpty)
        #expect(!context.hasChanges)
    }

    @Test(arguments: [.infinity, .greatestFiniteMagnitude, .nan, -1] as [Double])
    func `a fault accepts a row of any age if the staleness interval allows it`(_ interval: Double)
        throws
    {
        let id = try savedTags(1)[0]
        context.stalenessInterval = interval

        #expect(try !context.object(with: id)["name"].isNull)
    }

    @Test func `an object may outlive its context`() throws {
        let id = try savedTags(1)[0]
        let tag: Tag
        do {
            let short = try stack.context(classes: ObjectClasses([Tag.self]))
            tag = try #require(try short.object(with: id) as? Tag)
        }

        #expect(tag.managedObjectContext == nil)
        #expect(tag.name == nil)
        #expect(throws: GraphError.self) { try tag.setValue("x", forKey: "name") }
    }

    @Test func `an object that turns out to be of a subentity has room for all its values`() throws
    {
        var mood = AttributeDescription(
            "mood", .string, isOptional: true, defaultValue: "calm")
        mood.isTransient = true
        let stack = try MusicStack([
            EntityDescription(
                "Track",
                [
                    .attribute("title", .string), .toMany("tags", "Tag", inverse: "tracks"),
                ]),
            EntityDescription(
                "LiveTrack", superentity: "Track",
                [
                    .attribute("venue", .string),
                    .attribute(mood),
                    .toMany("guests", "Tag", inverse: "concerts"),
                ]),
            EntityDescription(
                "Tag",
                [
                    .toMany("tracks", "Track", inverse: "tags"),
                    .toMany("concerts", "LiveTrack", inverse: "guests"),
                ]),
        ])
        let writer = try stack.context()
        let track = try writer.insertNewObject(forEntityName: "LiveTrack")
        let tag = try writer.insertNewObject(forEntityName: "Tag")
        try track.setValue([tag], forKey: "tags")
        try track.setValue([tag], forKey: "guests")
        try writer.save()
        let context = try stack.context()
        let root = try #require(context.managedObjectModel.entity(named: "Track"))
        let id = ObjectID(
            store: track.objectID.store, rootEntity: track.objectID.rootEntity,
            entity: root.number, key: track.objectID.key)

        let fault = try context.object(with: id)
        let tags = try fault.objectIDs(forRelationshipNamed: "tags")
        _ = try fault["title"]

        #expect(tags == [tag.objectID])
        #expect(fault.entity.name == "LiveTrack")
        #expect(try fault["mood"] == "calm")
        #expect(try fault.objectIDs(forRelationshipNamed: "guests") == [tag.objectID])
    }
}
