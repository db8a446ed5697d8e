import CairnModel
import CairnStore
import Testing

@Suite(.onEveryEngine) struct `Relationships` {
    let subject: StoreUnderTest

    init() throws { subject = try StoreUnderTest() }

    private func insertAll(_ entity: String, _ keys: ClosedRange<Int64>) throws {
        for key in keys { try subject.insert(try subject.row(entity, key)) }
    }

    @Test func `of one to many follow the members' rows`() throws {
        try insertAll("Label", 1...2)
        let (first, second) = (try subject.id("Label", 1), try subject.id("Label", 2))
        try subject.insert(
            try subject.row("Album", 1, ["label": .objectID(first)]),
            try subject.row("Album", 2, ["label": .objectID(second)]),
            try subject.row("Album", 3, ["label": .objectID(first)]))
        #expect(try subject.members("Label", "albums", of: 1) == [1, 3])

        try subject.save(
            SaveRequest(
                updated: [try subject.update("Album", 1, from: 1, ["label": .objectID(second)])],
                deleted: [try subject.deletion("Album", 3, from: 1)]))

        #expect(try subject.members("Label", "albums", of: 1) == [])
        #expect(try subject.members("Label", "albums", of: 2) == [1, 2])
    }

    @Test func `answer each owner in the order of the question`() throws {
        try insertAll("Label", 1...2)
        try subject.insert(
            try subject.row("Album", 1, ["label": .objectID(try subject.id("Label", 2))]),
            try subject.row("Album", 2, ["label": .objectID(try subject.id("Label", 1))]))
        let owners = try [2, 7, 1, 2].map { try subject.id("Label", $0) }

        let related = try subject.store.snapshot().relatedIDs(
            try subject.relationship("Label", "albums"), of: owners)

        #expect(related.count == 4)
        #expect(related.members.map(\.key) == [1, 2, 1])
        #expect((0..<4).map(related.range(ofOwnerAt:)) == [0..<1, 1..<1, 1..<2, 2..<3])
        #expect(related.orderKeys.isEmpty)
    }

    @Test func `of ordered one to many come by order keys`() throws {
        try insertAll("Album", 1...2)
        let album = try subject.id("Album", 1)
        let tracks = try (1...3).map { try subject.id("Track", $0) }
        try subject.insert(
            try subject.row("Track", 1, ["album": .objectID(album)]),
            try subject.row("LiveTrack", 2, ["album": .objectID(album)]),
            try subject.row("Track", 3, ["album": .objectID(album)]),
            pairs: try zip(tracks, [30, 10, 20]).map {
                try subject.pair(.insert, "Album", "tracks", album, $0, order: $1)
            })

        let related = try subject.store.snapshot().relatedIDs(
            try subject.relationship("Album", "tracks"), of: [album])
        #expect(related.members.map(\.key) == [2, 3, 1])
        #expect(related.orderKeys == [10, 20, 30])
        #expect(related.members.first?.entity == (try subject.entity("LiveTrack").number))

        try subject.save(
            SaveRequest(
                updated: [try subject.update("Album", 1, from: 1)],
                pairs: [
                    try subject.pair(.reorder, "Album", "tracks", album, tracks[0], order: 5)
                ]))
        #expect(try subject.members("Album", "tracks", of: 1) == [1, 2, 3])
    }

    @Test func `of ordered one to many forget the order under another owner`() throws {
        try insertAll("Album", 1...2)
        let albums = try [1, 2].map { try subject.id("Album", $0) }
        let tracks = try (1...2).map { try subject.id("Track", $0) }
        try subject.insert(
            try subject.row("Track", 1, ["album": .objectID(albums[0])]),
            try subject.row("Track", 2, ["album": .objectID(albums[1])]),
            pairs: [
                try subject.pair(.insert, "Album", "tracks", albums[0], tracks[0], order: 1),
                try subject.pair(.insert, "Album", "tracks", albums[1], tracks[1], order: 9),
            ])

        try subject.save(
            SaveRequest(updated: [
                try subject.update("Track", 1, from: 1, ["album": .objectID(albums[1])])
            ]))

        let related = try subject.store.snapshot().relatedIDs(
            try subject.relationship("Album", "tracks"), of: albums)
        #expect(related.members.map(\.key) == [2, 1])
        #expect(related.orderKeys == [9, 10])
    }

    @Test func `of many to many are found from both sides`() throws {
        try insertAll("Album", 1...2)
        try insertAll("Genre", 1...2)
        let pairs = try [(1, 2), (1, 1), (2, 2)].map {
            try subject.pair(
                .insert, "Album", "genres", try subject.id("Album", $0), try subject.id("Genre", $1)
            )
        }

        try subject.save(SaveRequest(pairs: pairs + [pairs[0]]))

        #expect(try subject.members("Album", "genres", of: 1) == [1, 2])
        #expect(try subject.members("Album", "genres", of: 2) == [2])
        #expect(try subject.members("Genre", "albums", of: 2) == [1, 2])
    }

    @Test func `of many to many lose pairs that are deleted, and with deleted objects`() throws {
        try insertAll("Album", 1...3)
        try insertAll("Genre", 1...2)
        func pair(_ kind: PairChange.Kind, _ album: Int64, _ genre: Int64) throws -> PairChange {
            try subject.pair(
                kind, "Album", "genres", try subject.id("Album", album),
                try subject.id("Genre", genre))
        }
        try subject.save(
            SaveRequest(pairs: [
                try pair(.insert, 1, 1), try pair(.insert, 2, 1), try pair(.insert, 3, 1),
                try pair(.insert, 3, 2),
            ]))

        try subject.save(
            SaveRequest(
                deleted: [try subject.deletion("Album", 3, from: 1)],
                pairs: [try pair(.delete, 1, 1), try pair(.delete, 1, 2)]))

        #expect(try subject.members("Genre", "albums", of: 1) == [2])
        #expect(try subject.members("Genre", "albums", of: 2) == [])
        try subject.save(SaveRequest(deleted: [try subject.deletion("Genre", 1, from: 1)]))
        #expect(try subject.members("Album", "genres", of: 2) == [])
    }

    @Test func `of many to many have an order on each side`() throws {
        try insertAll("Tag", 1...2)
        try insertAll("Track", 1...2)
        let owning = try subject.relationship("Tag", "tracks")
        #expect(owning.ownsPairs)
        func pair(
            _ kind: PairChange.Kind, _ tag: Int64, _ track: Int64, _ order: Int64?,
            _ inverseOrder: Int64?
        ) throws -> PairChange {
            try subject.pair(
                kind, "Tag", "tracks", try subject.id("Tag", tag), try subject.id("Track", track),
                order: order, inverseOrder: inverseOrder)
        }

        try subject.save(
            SaveRequest(pairs: [
                try pair(.insert, 1, 1, 20, 7), try pair(.insert, 1, 2, 10, 1),
                try pair(.insert, 2, 1, 1, 6),
            ]))
        #expect(try subject.members("Tag", "tracks", of: 1) == [2, 1])
        #expect(try subject.members("Track", "tags", of: 1) == [2, 1])

        try subject.save(
            SaveRequest(pairs: [
                try pair(.reorder, 1, 1, 5, nil), try pair(.reorder, 2, 1, nil, 8),
                try pair(.reorder, 2, 2, 1, 1), try pair(.insert, 1, 2, 6, nil),
            ]))
        #expect(try subject.members("Tag", "tracks", of: 1) == [1, 2])
        #expect(try subject.members("Track", "tags", of: 1) == [1, 2])
        #expect(try subject.members("Tag", "tracks", of: 2) == [1])
    }

    @Test func `to many without an inverse, or that are their own, keep their pairs`() throws {
        try insertAll("Album", 1...2)
        try insertAll("Person", 1...3)
        let people = try (1...3).map { try subject.id("Person", $0) }
        let albums = try (1...2).map { try subject.id("Album", $0) }

        try subject.save(
            SaveRequest(pairs: [
                try subject.pair(.insert, "Album", "related", albums[0], albums[1]),
                try subject.pair(.insert, "Person", "friends", people[0], people[1]),
                try subject.pair(.insert, "Person", "friends", people[2], people[0]),
            ]))

        #expect(try subject.members("Album", "related", of: 1) == [2])
        #expect(try subject.members("Album", "related", of: 2) == [])
        #expect(try subject.members("Person", "friends", of: 1) == [2, 3])
        #expect(try subject.members("Person", "friends", of: 2) == [1])
        try subject.save(SaveRequest(deleted: [try subject.deletion("Person", 1, from: 1)]))
        #expect(try subject.members("Person", "friends", of: 2) == [])
    }

    @Test func `keep no pair of an object that is not there`() throws {
        try insertAll("Album", 1...1)
        let pair = try subject.pair(
            .insert, "Album", "genres", try subject.id("Album", 1), try subject.id("Genre", 4))

        try subject.save(SaveRequest(pairs: [pair]))
        try insertAll("Genre", 4...4)

        #expect(try subject.members("Album", "genres", of: 1) == [])
    }
}
