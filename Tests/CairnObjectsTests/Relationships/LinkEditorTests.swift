import CairnModel
import StackSupport
import Testing

@testable import CairnObjects

@Suite struct `Links that are changed as a whole` {
    private let context: ManagedObjectContext
    private var links: LinkEditor { LinkEditor(context) }

    init() throws {
        context = try MusicStack().context()
    }

    private func insert(_ entity: String) throws -> ManagedObject {
        try context.insertNewObject(forEntityName: entity)
    }

    private func tracks(of album: ManagedObject) throws -> [ObjectID] {
        guard case .relationship(let binding) = try album.kind.binding("tracks") else { return [] }
        return try links.destinations(of: album, binding)
    }

    @Test func `lead to another object after they are redirected`() throws {
        let (old, new, track) = (try insert("Album"), try insert("Album"), try insert("Track"))
        try track.setValue(old, forKey: "album")

        try links.redirect(to: new, from: old, handingOver: false)

        #expect(try track["album"] == .objectID(new.objectID))
        #expect(try tracks(of: old) == [])
        #expect(try tracks(of: new) == [track.objectID])
    }

    @Test func `without an inverse are redirected, too`() throws {
        let (old, new, note) = (try insert("Album"), try insert("Album"), try insert("Note"))
        try note.setValue(old, forKey: "about")

        try links.redirectOneWay(to: new, from: old.objectID)

        #expect(try note["about"] == .objectID(new.objectID))
    }

    @Test func `are cut at the other ends, and can be restored`() throws {
        let (album, track) = (try insert("Album"), try insert("Track"))
        try track.setValue(album, forKey: "album")

        try links.unlink(track)
        let cut = try tracks(of: album)
        try links.relink(track)

        #expect(cut == [])
        #expect(try tracks(of: album) == [track.objectID])
    }

    @Test func `to objects that do not refer back are forgotten`() throws {
        let (album, track) = (try insert("Album"), try insert("Track"))
        try track.setValue(album, forKey: "album")
        try links.unlink(track)

        try links.forgetOneSidedLinks(of: track)

        #expect(try track["album"] == .null)
    }

    @Test func `are set at both ends by the value of a slot`() throws {
        let (album, track) = (try insert("Album"), try insert("Track"))
        let slot = try #require(track.kind.layout.slot(named: "album"))

        try links.take(.objectID(album.objectID), at: slot.rowSlot, of: track)

        #expect(try tracks(of: album) == [track.objectID])
    }
}
