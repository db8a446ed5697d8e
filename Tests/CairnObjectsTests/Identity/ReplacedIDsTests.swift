import CairnModel
import StackSupport
import Testing

@testable import CairnObjects

@Suite struct `Replaced IDs` {
    private let context: ManagedObjectContext

    init() throws {
        context = try MusicStack().context()
    }

    private func savedTag() throws -> (tag: ManagedObject, temporaryID: ObjectID) {
        let tag = try context.insertNewObject(forEntityName: "Tag")
        let temporaryID = tag.objectID
        try context.save()
        return (tag, temporaryID)
    }

    @Test func `lead from a temporary ID to the permanent one until the next save`() throws {
        let (tag, temporaryID) = try savedTag()

        let found = context.registeredObject(for: temporaryID)
        _ = try savedTag()
        let foundLater = context.registeredObject(for: temporaryID)

        #expect(found === tag)
        #expect(foundLater == nil)
    }

    @Test func `in predicates are kept permanently`() throws {
        let tag = try context.insertNewObject(forEntityName: "Tag")
        let temporaryID = tag.objectID
        context.replacedIDs.noteInPredicate(temporaryID)
        try context.save()

        _ = try savedTag()

        #expect(context.replacedIDs[temporaryID] == tag.objectID)
    }

    @Test func `say which temporary IDs an object had`() throws {
        let (tag, temporaryID) = try savedTag()

        let former = context.replacedIDs.formerIDs(of: tag.objectID)

        #expect(former == [temporaryID])
    }

    @Test func `are replaced in the relationships of objects with changes`() throws {
        let (album, track) = (
            try context.insertNewObject(forEntityName: "Album"),
            try context.insertNewObject(forEntityName: "Track")
        )
        try track.setValue(album, forKey: "album")

        try context.obtainPermanentIDs(for: [album])
        let destination = try track["album"]

        #expect(!album.objectID.isTemporary)
        #expect(destination == .objectID(album.objectID))
    }
}
