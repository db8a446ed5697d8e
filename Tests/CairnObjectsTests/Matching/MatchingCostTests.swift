import CairnModel
import StackSupport
import Testing

@testable import CairnObjects
@testable import CairnStack

/// The number of reads from the source while objects in memory are tested and sorted is the same for many
/// objects as for few.
@Suite struct `Cost of matching in memory` {
    /// The number of reads of rows and of members.
    private struct Cost: Equatable {
        let rows: Int
        let members: Int
    }

    /// Creates albums with artists and labels, each with two tracks. Measures the body on the albums, which
    /// are faults of a new context.
    private func cost(
        albumCount: Int, _ body: ([ManagedObject]) throws -> Void
    ) throws -> Cost {
        let stack = try MusicStack()
        let writer = try stack.context()
        for number in 0..<albumCount {
            let label = try writer.insertNewObject(forEntityName: "Label")
            let artist = try writer.insertNewObject(forEntityName: "Artist")
            let album = try writer.insertNewObject(forEntityName: "Album")
            try artist.setValue("\(number)", forKey: "name")
            try artist.setValue(label, forKey: "label")
            try album.setValue(artist, forKey: "artist")
            for _ in 0..<2 {
                let track = try writer.insertNewObject(forEntityName: "Track")
                try track.setValue(album, forKey: "album")
            }
        }
        try writer.save()
        let context = try stack.context()
        let ids = try context.fetchIDs(FetchRequest<ManagedObject>("Album"))
        let albums = try ids.map { try context.object(with: $0) }
        stack.source.resetCounts()
        try body(albums)
        return Cost(rows: stack.source.count("rows"), members: stack.source.count("relatedIDs"))
    }

    @Test(arguments: [
        ("title == 'x'", 1, 0), ("artist == nil", 1, 0), ("artist.name == 'x'", 2, 0),
        ("artist.label.name == 'x'", 3, 0), ("tracks.@count > 1", 1, 1),
        ("ANY tracks.title == 'x'", 2, 1), ("artist.albums.@count == 1", 3, 1),
        ("SUBQUERY(tracks, $t, $t.album.title == 'x').@count == 1", 2, 1),
    ])
    func `does not depend on how many objects are filtered`(
        _ format: String, _ rows: Int, _ members: Int
    ) throws {
        let predicate = try FetchPredicate(format: format)
        let few = try cost(albumCount: 3) { _ = try $0.filtered(using: predicate) }
        let many = try cost(albumCount: 30) { _ = try $0.filtered(using: predicate) }

        #expect(few == many)
        #expect(many.rows <= rows && many.members <= members, "\(many)")
    }

    @Test func `does not depend on how many objects are sorted`() throws {
        let descriptors = [FetchSortDescriptor("artist.label.name"), FetchSortDescriptor("title")]
        let few = try cost(albumCount: 3) { _ = try $0.sorted(using: descriptors) }
        let many = try cost(albumCount: 30) { _ = try $0.sorted(using: descriptors) }

        #expect(few == many && many == Cost(rows: 3, members: 0))
    }
}
