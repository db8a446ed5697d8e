import CairnModel
import CairnStore
import Foundation

let snapshotRules: [ConformanceRule] = [
    ConformanceRule(
        "a snapshot does not show later saves in rows, values, counts or members",
        proves: ["StoreSnapshot: Later saves, including saves"]
    ) {
        subject in
        let fixture = try MusicFixture(subject)
        let album = fixture.albums[0]
        let genre = try subject.rows("Genre")[0].id
        let snapshot = try subject.store.snapshot()
        let tracks = try subject.members("Album", "tracks", of: album, in: snapshot)
        try subject.save { draft in
            try draft.insert("Album", ["name": "later"])
            try draft.update("Album", album, ["name": "changed"])
            for track in tracks { draft.delete(track) }
            try draft.pair(.delete, "Album", "genres", album, genre)
        }
        try requireEqual(try subject.rows("Album", in: snapshot).count, 3, "the objects")
        try requireEqual(try subject.value("name", of: album, in: snapshot), "One", "the value")
        try requireEqual(
            try subject.members("Album", "tracks", of: album, in: snapshot), tracks, "the members")
        try requireEqual(
            try subject.members("Album", "genres", of: album, in: snapshot), [genre], "the pairs")
        if let count = try snapshot.count(try subject.plan("Track")) {
            try requireEqual(count, 3, "the count")
        }
        try requireEqual(
            try subject.ids(try subject.plan("Album", "name == 'One'"), in: snapshot), [album],
            "the matches")
        try requireEqual(try subject.rows("Album").count, 4, "the objects of a new snapshot")
    },
    ConformanceRule(
        "a new snapshot shows the newest committed state",
        proves: ["PersistentStore.snapshot(): Returns a snapshot of"]
    ) { subject in
        for count in 1...5 {
            try subject.insert("Album")
            try requireEqual(try subject.rows("Album").count, count, "the objects")
        }
    },
    ConformanceRule(
        "every commit increases the generation",
        proves: ["StoreGeneration: Every commit that changes"]
    ) { subject in
        let first = try subject.store.snapshot().generation
        try requireEqual(
            try subject.store.snapshot().generation, first, "the generation without a commit")
        let outcome = try subject.save { try $0.insert("Album") }
        let second = try subject.save { try $0.insert("Album") }
        try require(first < outcome.generation, "the first commit raises the generation")
        try require(outcome.generation < second.generation, "the second commit raises it")
        try requireEqual(
            try subject.store.snapshot().generation, second.generation, "the newest generation")
        try requireEqual(
            try subject.store.newestGeneration(), second.generation,
            "the newest generation without a snapshot")
    },
    ConformanceRule(
        "a save that changes only metadata increases the generation",
        proves: ["StoreGeneration: Every commit that changes"]
    ) { subject in
        let first = try subject.store.snapshot().generation
        let outcome = try subject.save { $0.request.metadata = ["a": 1] }
        try require(first < outcome.generation, "the commit raises the generation")
        try requireEqual(
            try subject.store.snapshot().generation, outcome.generation, "the newest generation")
    },
    ConformanceRule(
        "a held snapshot keeps its generation",
        proves: ["StoreSnapshot.generation: It stays the same"]
    ) { subject in
        let snapshot = try subject.store.snapshot()
        let generation = snapshot.generation
        try subject.insert("Album")
        try requireEqual(snapshot.generation, generation, "the generation of the held snapshot")
    },
    ConformanceRule(
        "each of several held snapshots shows its own state",
        proves: ["PersistentStore.snapshot(): Any number of snapshots"]
    ) { subject in
        let id = try subject.insert("Album", ["year": 0])
        var held: [any StoreSnapshot] = []
        for version in 1...6 as ClosedRange<Int64> {
            held.append(try subject.store.snapshot())
            try subject.save {
                try $0.update("Album", id, from: version, ["year": .integer(version)])
            }
        }
        for (index, snapshot) in held.enumerated().reversed() {
            try requireEqual(
                try subject.value("year", of: id, in: snapshot), .integer(Int64(index)),
                "the value in snapshot \(index)")
        }
    },
    ConformanceRule(
        "a snapshot returns external data of rows that were deleted later",
        proves: [
            "StoreSnapshot.externalData(_:): Returns the bytes that",
            "StoreSnapshot.externalData(_:): A snapshot can return",
        ]
    ) {
        subject in
        let blob = Data(repeating: 3, count: 500_000)
        let id = try subject.insert("File", ["blob": .binary(blob)])
        let snapshot = try subject.store.snapshot()
        try subject.save { $0.delete(id) }
        try require(
            try subject.value("blob", of: id, in: snapshot) == .binary(blob),
            "the original bytes")
    },
]
