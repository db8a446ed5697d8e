import CairnModel
import CairnRows

let relationshipRules: [ConformanceRule] = [
    ConformanceRule(
        "the row of an object contains the destination of its to-one relationship, or nil",
        proves: ["SaveRequest: Rows contain attributes and"]
    ) {
        subject in
        let label = try subject.insert("Label", ["name": "x"])
        let album = try subject.insert("Album", ["label": .objectID(label)])
        let without = try subject.insert("Album")
        try requireEqual(
            try subject.value("label", of: album), .objectID(label), "the destination")
        try requireEqual(try subject.value("label", of: without), .null, "no destination")
        let row = try requireValue(try subject.row(of: album), "the row")
        guard case .objectID(let destination) = try subject.value("label", of: row) else {
            throw RuleViolation(
                detail: "the to-one relationship does not contain the destination's ID")
        }
        try requireEqual(destination.entity, label.entity, "the destination's entity")
    },
    ConformanceRule(
        "the ID in a to-one relationship has the destination's concrete entity",
        proves: ["SaveRequest: Rows contain attributes and"]
    ) {
        subject in
        let tracks = [try subject.insert("Track"), try subject.insert("LiveTrack")]
        let tags = try subject.insertAll("Tag", tracks.map { ["best": .objectID($0)] })
        for (tag, track) in zip(tags, tracks) {
            guard case .objectID(let found) = try subject.value("best", of: tag) else {
                throw RuleViolation(
                    detail: "the to-one relationship does not contain the destination's ID")
            }
            try requireEqual(found.entity, track.entity, "the entity in the to-one")
            try requireEqual(found.key, track.key, "the key in the to-one")
        }
    },
    ConformanceRule(
        "the IDs of members have the members' concrete entities",
        proves: ["StoreSnapshot.relatedIDs(_:of:): The IDs contain the"]
    ) { subject in
        let tracks = [try subject.insert("Track"), try subject.insert("LiveTrack")]
        let tag = try subject.insert("Tag")
        try subject.save { draft in
            for (index, track) in tracks.enumerated() {
                try draft.pair(.insert, "Tag", "tracks", tag, track, order: Int64(index))
                try draft.update(
                    index == 0 ? "Track" : "LiveTrack", track, ["coverOf": .objectID(tag)])
            }
        }
        for name in ["tracks", "covers"] {
            try requireEqual(
                try subject.members("Tag", name, of: tag).map(\.entity), tracks.map(\.entity),
                "the entities of the members of Tag.\(name)")
        }
    },
    ConformanceRule(
        "a one-to-one relationship is stored on both sides, and destinations can be exchanged",
        proves: ["SaveRequest: Rows contain attributes and"]
    ) { subject in
        let people = try subject.insertAll("Person", [[:], [:]])
        var labels: [ObjectID] = []
        try subject.save { draft in
            labels = try draft.insertAll("Label", people.map { ["boss": .objectID($0)] })
            for (person, label) in zip(people, labels) {
                try draft.update("Person", person, ["leads": .objectID(label)])
            }
        }
        try subject.save { draft in
            for (person, label) in zip(people, labels.reversed()) {
                try draft.update("Person", person, from: 2, ["leads": .objectID(label)])
                try draft.update("Label", label, ["boss": .objectID(person)])
            }
        }
        try requireEqual(
            try people.map { try subject.value("leads", of: $0) },
            labels.reversed().map(Value.objectID), "the destinations of one side")
        try requireEqual(
            try labels.map { try subject.value("boss", of: $0) },
            people.reversed().map(Value.objectID), "the destinations of the other side")
    },
    ConformanceRule(
        "the members of a one-to-many come from the members' rows, and are sorted by key",
        proves: ["StoreSnapshot.relatedIDs(_:of:): Members with equal order"]
    ) { subject in
        let labels = try subject.insertAll("Label", [[:], [:]])
        let owners = [labels[0], labels[1], labels[0]]
        let albums = try subject.insertAll("Album", owners.map { ["label": .objectID($0)] })
        try requireEqual(
            try subject.members("Label", "albums", of: labels[0]), [albums[0], albums[2]],
            "the members")
        try subject.save { draft in
            try draft.update("Album", albums[0], ["label": .objectID(labels[1])])
            draft.delete(albums[2])
        }
        try requireEqual(
            try subject.members("Label", "albums", of: labels[0]), [], "the remaining members")
        try requireEqual(
            try subject.members("Label", "albums", of: labels[1]), [albums[0], albums[1]],
            "the members of the other owner")
    },
    ConformanceRule(
        "members are returned for each owner, in the order of the requested IDs",
        proves: [
            "StoreSnapshot.relatedIDs(_:of:): Returns the members of",
            "StoreSnapshot.relatedIDs(_:of:): Every ID in `ids`",
            "StoreSnapshot.relatedIDs(_:of:): An owner has no",
        ]
    ) {
        subject in
        let labels = try subject.insertAll("Label", [[:], [:]])
        let albums = try subject.insertAll(
            "Album", [["label": .objectID(labels[1])], ["label": .objectID(labels[0])]])
        let owners = [labels[1], try subject.id("Label", 999), labels[0], labels[1]]
        let related = try subject.store.snapshot().relatedIDs(
            try subject.relationship("Label", "albums"), of: owners)
        try requireEqual(related.count, 4, "the number of owners in the answer")
        let members = (0..<4).map { Array(related.members[related.range(ofOwnerAt: $0)]) }
        try requireEqual(
            members, [[albums[0]], [], [albums[1]], [albums[0]]], "the members by owner")
        let none = try subject.store.snapshot().relatedIDs(
            try subject.relationship("Label", "albums"), of: [])
        try requireEqual(none.count, 0, "the number of owners in the answer if none is requested")
    },
    ConformanceRule(
        "the members of an ordered one-to-many are returned in their order",
        proves: [
            "StoreSnapshot.relatedIDs(_:of:): Members of an ordered",
            "RelatedIDs.orderKeys: Among the members of",
        ]
    ) {
        subject in
        let album = try subject.insert("Album")
        let tracks = try subject.tracks(of: album, entities: ["Track", "LiveTrack", "Track"])
        try subject.order(tracks, [30, 10, 20], in: album, from: 1)
        try requireEqual(
            try subject.members("Album", "tracks", of: album), [tracks[1], tracks[2], tracks[0]],
            "the members in order")
        try requireEqual(
            try subject.members("Album", "tracks", of: album).first?.entity,
            try subject.entity("LiveTrack").number, "the concrete entity of a member")
    },
    ConformanceRule(
        "an ordered one-to-many can be reordered repeatedly",
        proves: ["PairChange: A change then only"]
    ) { subject in
        let album = try subject.insert("Album")
        let tracks = try subject.tracks(of: album, entities: Array(repeating: "Track", count: 6))
        var random = SplitMix64(state: 42)
        var order = tracks
        try subject.order(order, (1...6).map { $0 * 1024 }, in: album, from: 1)
        for version in 2...9 as ClosedRange<Int64> {
            order.shuffle(using: &random)
            try subject.order(order, (1...6).map { $0 * 1024 }, in: album, from: version)
            try requireEqual(
                try subject.members("Album", "tracks", of: album), order, "the order")
        }
        // One member moves to the front, so only its key changes.
        let moved = order.removeLast()
        order.insert(moved, at: 0)
        try subject.order([moved], [1], in: album, from: 10)
        try requireEqual(
            try subject.members("Album", "tracks", of: album), order, "the order after one move")
        try requireEqual(try subject.row(of: album)?.version, 11, "the owner's version")
    },
    ConformanceRule(
        "a many-to-many is found from both sides, and sorted by key",
        proves: [
            "StoreSnapshot.relatedIDs(_:of:): Members with equal order",
            "PairChange: For a many-to-many relationship",
        ]
    ) { subject in
        let albums = try subject.insertAll("Album", [[:], [:]])
        let genres = try subject.insertAll("Genre", [[:], [:]])
        try subject.save { draft in
            for (album, genre) in [(0, 1), (0, 0), (1, 1), (0, 1)] {
                try draft.pair(.insert, "Album", "genres", albums[album], genres[genre])
            }
        }
        try requireEqual(
            try subject.members("Album", "genres", of: albums[0]), genres, "one side")
        try requireEqual(
            try subject.members("Album", "genres", of: albums[1]), [genres[1]], "one side")
        try requireEqual(
            try subject.members("Genre", "albums", of: genres[1]), albums, "the other side")
    },
    ConformanceRule(
        "inserting a pair that exists and deleting a pair that does not exist have no effect",
        proves: [
            "PairChange.Kind.insert: If the pair exists",
            "PairChange.Kind.delete: Has no effect if", "PairChange.Kind.reorder: Has no effect if",
        ]
    ) {
        subject in
        let (album, genre) = (try subject.insert("Album"), try subject.insert("Genre"))
        for _ in 0..<2 {
            try subject.save { try $0.pair(.insert, "Album", "genres", album, genre) }
        }
        try requireEqual(try subject.members("Album", "genres", of: album), [genre], "the pair")
        for _ in 0..<2 {
            try subject.save { try $0.pair(.delete, "Album", "genres", album, genre) }
        }
        try requireEqual(try subject.members("Genre", "albums", of: genre), [], "no pair")
    },
    ConformanceRule(
        "deleting an object also removes its pairs",
        proves: ["RowDeletion: A row to remove", "PairChange: Pairs of a deleted"]
    ) { subject in
        let albums = try subject.insertAll("Album", [[:], [:]])
        let genre = try subject.insert("Genre")
        try subject.save { draft in
            for album in albums {
                try draft.pair(.insert, "Album", "genres", album, genre)
            }
        }
        try subject.save { $0.delete(albums[0]) }
        try requireEqual(
            try subject.members("Genre", "albums", of: genre), [albums[1]], "the remaining pairs")
        try subject.save { $0.delete(genre) }
        try requireEqual(
            try subject.members("Album", "genres", of: albums[1]), [], "the remaining pairs")
        try requireEqual(
            try subject.members("Album", "genres", of: albums[0]), [],
            "the members of an owner that has no row")
    },
    ConformanceRule(
        "a many-to-many has a separate order on each side, and keeps both after reordering",
        proves: [
            "PairChange.Kind.reorder: Sets the order keys",
            "PairChange.orderKey: `nil` leaves the position",
            "PairChange.inverseOrderKey: `nil` leaves the position",
        ]
    ) {
        subject in
        let tags = try subject.insertAll("Tag", [[:], [:]])
        let tracks = try subject.insertAll("Track", [[:], [:]])
        try subject.save { draft in
            try draft.pair(.insert, "Tag", "tracks", tags[0], tracks[0], order: 20, inverseOrder: 7)
            try draft.pair(.insert, "Tag", "tracks", tags[0], tracks[1], order: 10, inverseOrder: 1)
            try draft.pair(.insert, "Tag", "tracks", tags[1], tracks[0], order: 1, inverseOrder: 6)
        }
        try requireEqual(
            try subject.members("Tag", "tracks", of: tags[0]), [tracks[1], tracks[0]], "one side")
        try requireEqual(
            try subject.members("Track", "tags", of: tracks[0]), [tags[1], tags[0]],
            "the other side")
        try subject.save { draft in
            try draft.pair(.reorder, "Tag", "tracks", tags[0], tracks[0], order: 5)
            try draft.pair(.reorder, "Tag", "tracks", tags[1], tracks[0], inverseOrder: 8)
        }
        try requireEqual(
            try subject.members("Tag", "tracks", of: tags[0]), [tracks[0], tracks[1]],
            "one side after the reordering")
        try requireEqual(
            try subject.members("Track", "tags", of: tracks[0]), [tags[0], tags[1]],
            "the other side after the reordering")
    },
    ConformanceRule(
        "a pair with an object that has no row is not stored",
        proves: ["SaveRequest.pairs: A change has no"]
    ) { subject in
        let album = try subject.insert("Album")
        let missing = try subject.id("Genre", 4)
        try subject.save { try $0.pair(.insert, "Album", "genres", album, missing) }
        try requireEqual(try subject.members("Album", "genres", of: album), [], "the members")
        let genre = try subject.row("Genre", 4)
        try subject.save { $0.request.inserted = RowBatch([genre]) }
        try requireEqual(
            try subject.members("Album", "genres", of: album), [],
            "the members once an object has that ID")
    },
    ConformanceRule(
        "a to-many without an inverse stores its pairs in one direction",
        proves: ["PairChange.Kind.insert: Adds the pair."]
    ) { subject in
        let albums = try subject.insertAll("Album", [[:], [:]])
        try subject.save { try $0.pair(.insert, "Album", "related", albums[0], albums[1]) }
        try requireEqual(
            try subject.members("Album", "related", of: albums[0]), [albums[1]], "the member")
        try requireEqual(
            try subject.members("Album", "related", of: albums[1]), [],
            "the members in the other direction")
        let parent = try subject.insert("Label")
        let child = try subject.insert("Label", ["parent": .objectID(parent)])
        try requireEqual(
            try subject.value("parent", of: child), .objectID(parent), "a to-one without inverse")
    },
    ConformanceRule(
        "a relationship that is its own inverse is found from both sides",
        proves: [
            "StoreSnapshot.relatedIDs(_:of:): Returns the members of",
            "PairChange.Kind.insert: Adds the pair.",
        ]
    ) { subject in
        let people = try subject.insertAll("Person", [[:], [:], [:]])
        try subject.save { draft in
            try draft.pair(.insert, "Person", "friends", people[0], people[1])
            try draft.pair(.insert, "Person", "friends", people[2], people[0])
        }
        try requireEqual(
            try subject.members("Person", "friends", of: people[0]), [people[1], people[2]],
            "the friends of the first")
        try requireEqual(
            try subject.members("Person", "friends", of: people[1]), [people[0]],
            "the friends of the second")
        try subject.save { $0.delete(people[0]) }
        try requireEqual(
            try subject.members("Person", "friends", of: people[2]), [],
            "the remaining friends of the third")
    },
    ConformanceRule(
        "a one-to-many can connect objects of one entity, and an object with itself",
        proves: ["StoreSnapshot.relatedIDs(_:of:): Returns the members of"]
    ) {
        subject in
        let mentor = try subject.insert("Person")
        let pupils = try subject.insertAll(
            "Person", [["mentor": .objectID(mentor)], ["mentor": .objectID(mentor)]])
        try requireEqual(
            try subject.members("Person", "pupils", of: mentor), pupils, "the pupils")
        try subject.save { try $0.update("Person", mentor, ["mentor": .objectID(mentor)]) }
        try requireEqual(
            try subject.members("Person", "pupils", of: mentor), [mentor] + pupils,
            "an object among its own members")
    },
]

extension StoreSubject {
    /// Saves tracks of the given entities in an album, in the order of the array.
    func tracks(of album: ObjectID, entities: [String]) throws -> [ObjectID] {
        var ids: [ObjectID] = []
        try save { draft in
            for (index, entity) in entities.enumerated() {
                let id = try draft.insert(entity, ["album": .objectID(album)])
                ids.append(id)
                try draft.pair(
                    .insert, "Album", "tracks", album, id, order: Int64(index + 1) * 1024)
            }
        }
        return ids
    }

    /// Sets new order keys for tracks of an album, as a save of a reordered relationship does.
    func order(
        _ tracks: [ObjectID], _ keys: [Int64], in album: ObjectID, from version: Int64
    ) throws {
        try save { draft in
            try draft.touch("Album", album, from: version)
            for (track, key) in zip(tracks, keys) {
                try draft.pair(.reorder, "Album", "tracks", album, track, order: key)
            }
        }
    }
}
