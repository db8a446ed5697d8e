import CairnModel
import StackSupport
import Testing

@testable import CairnObjects

@Suite struct `The description of an object` {
    private let stack: MusicStack
    private let context: ManagedObjectContext

    init() throws {
        stack = try MusicStack()
        context = try stack.context()
    }

    /// Returns the part of the description that is the same in each run.
    private func data(_ object: ManagedObject) -> String {
        String(object.description.drop { $0 != "(" })
    }

    private func insertTrack() throws -> ManagedObject {
        let track = try context.insertNewObject(forEntityName: "Track")
        try track.setValue("nil", forKey: "title")
        return track
    }

    @Test func `has the class, the entity, the ID and the values`() throws {
        let album = try context.insertNewObject(forEntityName: "Album")
        let track = try insertTrack()
        try track.setValue(album, forKey: "album")

        #expect(track.description.hasPrefix("<ManagedObject: 0x"))
        #expect(
            data(track) == """
                (entity: Track; id: \(track.objectID); data: {
                    album = \(album.objectID);
                    number = 1;
                    similar = 0 objects;
                    tags = 0 objects;
                    title = "nil";
                })>
                """)
        #expect(String(reflecting: track) == track.description)
    }

    @Test func `shows changes over stored values, and members only if they are known`() throws {
        let track = try insertTrack()
        try track.objects("tags").insert(try context.insertNewObject(forEntityName: "Tag"))
        try context.save()
        try context.refresh(track, mergeChanges: false)
        _ = try track["title"]
        try track.setValue(2, forKey: "number")

        let before = data(track)
        _ = try track.objectIDs(forRelationshipNamed: "tags")
        let after = data(track)

        #expect(before.contains("number = 2;\n"))
        #expect(before.contains("album = nil;\n"))
        #expect(before.contains("tags = <relationship fault>;\n"))
        #expect(after.contains("tags = 1 object;\n"))
    }

    @Test func `of a fault says that it is a fault, and does not fire it`() throws {
        let track = try insertTrack()
        try context.save()
        try context.refresh(track, mergeChanges: false)
        stack.source.resetCounts()

        #expect(data(track) == "(entity: Track; id: \(track.objectID); data: <fault>)>")
        #expect(track.isFault)
        #expect(stack.source.count("rows") == 0)
    }

    @Test func `of an object that left its context says so`() throws {
        let track = try insertTrack()
        context.reset()

        #expect(data(track).hasSuffix("data: <in no context>)>"))
    }

    @Test func `outside the context's turn shows no values`() async throws {
        let handle = stack.handle()
        let kept = try await handle.perform { context in
            Kept(object: try context.insertNewObject(forEntityName: "Tag"))
        }
        let text = kept.object.description

        #expect(text.contains("data: <not shown outside a turn of the context"))
        // An object must be deallocated in a turn of its context.
        try await handle.perform { $0.reset() }
    }

    private struct Kept: @unchecked Sendable {
        // Unchecked because only the description is used outside the turn.
        let object: ManagedObject
    }

    private final class Tag: ManagedObject {
        override var description: String { "a tag" }
    }

    @Test func `is the class's own if it has one`() throws {
        let context = try stack.context(classes: ObjectClasses([Tag.self]))

        #expect("\(try context.insert(Tag.self))" == "a tag")
    }
}
