import CairnModel

/// A few albums with labels, genres and tracks.
struct MusicFixture {
    let albums: [ObjectID]

    /// - Parameter copies: The number of times that the same albums are saved, each time with other
    ///   names.
    init(_ subject: StoreSubject, copies: Int = 1) throws {
        var albums: [ObjectID] = []
        for copy in 0..<copies { albums += try Self.save(subject, copy) }
        self.albums = albums
    }

    private static func save(_ subject: StoreSubject, _ copy: Int) throws -> [ObjectID] {
        let suffix = copy == 0 ? "" : " \(copy)"
        var albums: [ObjectID] = []
        try subject.save { draft in
            let blue = try draft.insert("Label", ["name": .string("Blue" + suffix)])
            let jazz = try draft.insert("Genre", ["name": .string("jazz" + suffix)])
            albums = [
                try draft.insert(
                    "Album",
                    ["name": .string("One" + suffix), "label": .objectID(blue), "year": 1959]),
                try draft.insert(
                    "Album",
                    ["name": .string("Two" + suffix), "year": .integer(1960 + Int64(copy))]),
                try draft.insert("Album", ["label": .objectID(blue)]),
            ]
            for album in albums.prefix(2) {
                try draft.pair(.insert, "Album", "genres", album, jazz)
            }
            let tracks: [(Int, String, Double)] = [
                (0, "So What", 545), (0, "Blue in Green", 60), (1, "Short", 5),
            ]
            for (index, (album, title, length)) in tracks.enumerated() {
                let track = try draft.insert(
                    index == 1 ? "LiveTrack" : "Track",
                    [
                        "title": .string(title), "length": .double(length),
                        "album": .objectID(albums[album]),
                        "code": .string("\(copy) \(index)"),
                    ])
                try draft.pair(
                    .insert, "Album", "tracks", albums[album], track,
                    order: Int64(index + 1) * 1024)
            }
        }
        return albums
    }
}
