import CairnModel
import CairnStore

/// Rules about special cases of changes of pairs and order keys.
let pairRules: [ConformanceRule] = [
    ConformanceRule(
        "changes of one pair in one request are applied in order",
        proves: [
            "SaveRequest.pairs: The store applies them", "SaveRequest.pairs: If two changes name",
        ]
    ) { subject in
        let (album, genre) = (try subject.insert("Album"), try subject.insert("Genre"))
        for kinds in [[.insert, .delete], [.delete, .insert], [.insert, .delete, .insert]]
            as [[PairChange.Kind]]
        {
            for isThere in [false, true] {
                try subject.save {
                    try $0.pair(isThere ? .insert : .delete, "Album", "genres", album, genre)
                }
                try subject.save { draft in
                    for kind in kinds { try draft.pair(kind, "Album", "genres", album, genre) }
                }
                let expected = kinds.last == .insert ? [genre] : []
                try requireEqual(
                    try subject.members("Album", "genres", of: album), expected,
                    "the members after \(kinds), pair \(isThere ? "there" : "absent") before")
                try requireEqual(
                    try subject.members("Genre", "albums", of: genre).count, expected.count,
                    "the owners after \(kinds)")
            }
        }
    },
    ConformanceRule(
        "reordering a pair that does not exist has no effect",
        proves: [
            "PairChange.Kind.delete: Has no effect if", "PairChange.Kind.reorder: Has no effect if",
        ]
    ) { subject in
        let (tag, track) = (try subject.insert("Tag"), try subject.insert("Track"))
        try subject.save {
            try $0.pair(.reorder, "Tag", "tracks", tag, track, order: 1, inverseOrder: 1)
        }
        try requireEqual(try subject.members("Tag", "tracks", of: tag), [], "one side")
        try requireEqual(try subject.members("Track", "tags", of: track), [], "the other side")
    },
    ConformanceRule(
        "an order key is used only for the owner that the member's row refers to",
        proves: [
            "PairChange: For an ordered one-to-many", "PairChange: A change then only",
            "PairChange.Kind.delete: In an ordered one-to-many",
            "PairChange.orderKey: `nil` leaves the position",
        ]
    ) {
        subject in
        let albums = try subject.insertAll("Album", [[:], [:]])
        let tracks = try subject.tracks(of: albums[0], entities: ["Track", "LiveTrack", "Track"])
        for kind in [.reorder, .insert, .delete] as [PairChange.Kind] {
            try subject.save {
                try $0.pair(
                    kind, "Album", "tracks", albums[1], tracks[2],
                    order: kind == .delete ? nil : 1)
            }
            try requireEqual(
                try subject.members("Album", "tracks", of: albums[0]), tracks,
                "the order after \(kind) under an owner whose member it is not")
            try requireEqual(
                try subject.members("Album", "tracks", of: albums[1]), [], "the other's members")
        }
        try subject.save { try $0.pair(.reorder, "Album", "tracks", albums[0], tracks[2]) }
        try requireEqual(
            try subject.members("Album", "tracks", of: albums[0]), tracks,
            "the order after a change without an order key")
        try subject.save { try $0.pair(.delete, "Album", "tracks", albums[0], tracks[0]) }
        try requireEqual(
            try subject.members("Album", "tracks", of: albums[0]),
            [tracks[1], tracks[2], tracks[0]],
            "a member whose order key was removed comes last")
    },
    ConformanceRule(
        "members with equal order keys are sorted by their own keys",
        proves: [
            "StoreSnapshot.relatedIDs(_:of:): Members with equal order",
            "PairChange: Members with equal order",
        ]
    ) { subject in
        let album = try subject.insert("Album")
        let tracks = try subject.tracks(of: album, entities: Array(repeating: "Track", count: 4))
        try subject.order(tracks, [7, 3, 7, 3], in: album, from: 1)
        try requireEqual(
            try subject.members("Album", "tracks", of: album),
            [tracks[1], tracks[3], tracks[0], tracks[2]], "the members of a one-to-many")
        let tags = try subject.insertAll("Tag", [[:], [:]])
        try subject.save { draft in
            for tag in tags.reversed() {
                for track in tracks.reversed() {
                    try draft.pair(
                        .insert, "Tag", "tracks", tag, track, order: 5, inverseOrder: 5)
                }
            }
        }
        try requireEqual(
            try subject.members("Tag", "tracks", of: tags[0]), tracks, "one side of a many-to-many")
        try requireEqual(
            try subject.members("Track", "tags", of: tracks[0]), tags, "the other side")
    },
    ConformanceRule(
        "an order key can be any 64-bit integer", proves: ["PairChange: Order keys are arbitrary"]
    ) { subject in
        let keys: [Int64] = [
            .min, -(1 << 40), -1, 0, 1, 1 << 31, 1 << 32, 1 << 33 + 1, .max - 1, .max,
        ]
        let (album, tag) = (try subject.insert("Album"), try subject.insert("Tag"))
        let order = [4, 9, 0, 6, 2, 8, 1, 7, 3, 5]
        let tracks = try subject.tracks(of: album, entities: Array(repeating: "Track", count: 10))
        try subject.order(tracks, order.map { keys[$0] }, in: album, from: 1)
        try subject.save { draft in
            for (track, index) in zip(tracks, order) {
                try draft.pair(
                    .insert, "Tag", "tracks", tag, track, order: keys[index], inverseOrder: 0)
            }
        }
        let expected = zip(tracks, order).sorted { $0.1 < $1.1 }.map(\.0)
        try requireEqual(
            try subject.members("Album", "tracks", of: album), expected, "a one-to-many's members")
        try requireEqual(
            try subject.members("Tag", "tracks", of: tag), expected, "a many-to-many's members")
        let related = try subject.store.snapshot().relatedIDs(
            try subject.relationship("Tag", "tracks"), of: [tag])
        try requireEqual(related.orderKeys, keys, "the order keys")
    },
    ConformanceRule(
        "a member that moves to another owner loses its order key",
        proves: ["PairChange: Members without an order"]
    ) { subject in
        let albums = try subject.insertAll("Album", [[:], [:]])
        let first = try subject.tracks(of: albums[0], entities: ["Track"])
        let second = try subject.tracks(of: albums[1], entities: ["Track"])
        try subject.save {
            try $0.update("Track", first[0], ["album": .objectID(albums[1])])
        }
        try requireEqual(
            try subject.members("Album", "tracks", of: albums[0]), [], "the old owner's members")
        try requireEqual(
            try subject.members("Album", "tracks", of: albums[1]), second + first,
            "a member without an order key comes after the others")
    },
    ConformanceRule(
        "a member that returns to an earlier owner does not get its old order key back",
        proves: ["PairChange: A change then only"]
    ) { subject in
        let albums = try subject.insertAll("Album", [[:], [:]])
        let tracks = try subject.tracks(of: albums[0], entities: ["Track", "Track"])
        for (version, album) in [(1, albums[1]), (2, albums[0])] as [(Int64, ObjectID)] {
            try subject.save {
                try $0.update("Track", tracks[0], from: version, ["album": .objectID(album)])
            }
        }
        try requireEqual(
            try subject.members("Album", "tracks", of: albums[0]), [tracks[1], tracks[0]],
            "a member that is added again comes after the others")
    },
]
