import CairnModel
import StackSupport
import Testing

@testable import CairnObjects

@Suite struct `Pending deletions` {
    private let context: ManagedObjectContext
    private var deletions: PendingDeletions { context.events.deletions }

    init() throws {
        context = try MusicStack().context()
    }

    /// Returns a saved artist with one album. Deleting the artist cascades to the album.
    private func artistWithAlbum() throws -> (artist: ManagedObject, album: ManagedObject) {
        let artist = try context.insertNewObject(forEntityName: "Artist")
        let album = try context.insertNewObject(forEntityName: "Album")
        try artist.setValue("Nina", forKey: "name")
        try album.setValue(artist, forKey: "artist")
        try context.save()
        return (artist, album)
    }

    @Test func `are applied at the end of the event`() throws {
        let (artist, album) = try artistWithAlbum()

        try context.delete(artist)
        context.events.end()

        #expect(album.isDeleted)
        #expect(deletions.isEmpty)
    }

    @Test func `wait for the save if the program wants that`() throws {
        let (artist, album) = try artistWithAlbum()
        deletions.arePropagatedWithEvents = false

        try context.delete(artist)
        context.events.end()
        let isDeletedBefore = album.isDeleted
        try context.save()

        #expect(!isDeletedBefore)
        #expect(album.owner == nil)
        #expect(deletions.isEmpty)
    }

    @Test func `leave out objects whose deletion was undone`() throws {
        let (artist, album) = try artistWithAlbum()
        deletions.arePropagatedWithEvents = false
        try context.delete(artist)
        context.events.end()

        artist.cancelDeletion()
        try deletions.propagate()

        #expect(!album.isDeleted)
        #expect(deletions.isEmpty)
    }

    @Test func `of objects that were never saved release them at the end of the event`() throws {
        let tag = try context.insertNewObject(forEntityName: "Tag")

        try context.delete(tag)
        let wasOwned = tag.owner === context
        context.events.end()

        #expect(wasOwned)
        #expect(tag.owner == nil)
        #expect(!context.hasChanges)
    }

    @Test func `keep an object that was never saved until its delete rules are applied`() throws {
        let tag = try context.insertNewObject(forEntityName: "Tag")
        deletions.arePropagatedWithEvents = false

        try context.delete(tag)
        context.events.end()
        let isKept = tag.owner === context
        try context.save()

        #expect(isKept)
        #expect(tag.owner == nil)
    }
}
