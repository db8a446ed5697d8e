import Cairn
import CairnModel
import CairnStore
import SocketStoreSupport
import Testing

/// The number of messages that a graph sends over a connection. The contract determines these numbers. If one
/// of them changes, the cost of every remote engine changes.
@Suite struct `Messages of a graph over a socket` {
    private let library: SongLibrary
    private let coordinator: PersistentStoreCoordinator

    init() throws {
        library = try SongLibrary()
        coordinator = try library.coordinator()
    }

    /// Returns the messages that the body sends.
    @discardableResult
    private func messages(
        _ body: @escaping @Sendable (ManagedObjectContext) throws -> Void
    ) throws -> [SocketOperation] {
        let traffic = library.traffic
        return try ContextHandle(coordinator: coordinator).performAndWait { context in
            traffic.startCounting()
            try body(context)
            return traffic.operations
        }
    }

    private static func insertSongs(_ count: Int, _ context: ManagedObjectContext) throws {
        for number in 0..<count {
            try context.insertNewObject(forEntityName: "Song").setValue(
                "song \(number)", forKey: "title")
        }
        try context.save()
    }

    @Test func `are few for a save of 10,000 new objects`() throws {
        let sent = try messages { try Self.insertSongs(10_000, $0) }

        #expect(sent == [.beginSave, .prepare, .commit])
    }

    /// The members of deleted objects are asked for in the state that the save changes.
    @Test func `are two more for a save of 1,000 deletions of objects with members`() throws {
        try messages { context in
            for _ in 0..<1000 { try context.insertNewObject(forEntityName: "Album") }
            try context.save()
        }

        let sent = try messages { context in
            for album in try context.fetch(FetchRequest<ManagedObject>("Album")) {
                try context.delete(album)
            }
            try context.save()
        }

        #expect(
            sent.drop { $0 != .beginSave } == [.beginSave, .prepare, .snapshot, .related, .commit])
    }

    /// The row cache knows the destinations. If others have saved meanwhile, it may not, and reads them at once.
    @Test func `are no more for a save of 1,000 references to an object that was read`() throws {
        let others = try library.coordinator()
        try messages {
            try $0.insertNewObject(forEntityName: "Album"); try $0.save()
        }

        let sent = try [false, true].map { othersSave in
            try messages { context in
                let album = try #require(
                    try context.fetch(FetchRequest<ManagedObject>("Album")).first)
                if othersSave {
                    try ContextHandle(coordinator: others).performAndWait {
                        try Self.insertSongs(1, $0)
                    }
                }
                for _ in 0..<1000 {
                    try context.insertNewObject(forEntityName: "Song").setValue(
                        album, forKey: "album")
                }
                try context.save()
            }.drop { $0 != .beginSave }
        }

        #expect(sent[0] == [.beginSave, .prepare, .commit])
        #expect(sent[1].suffix(5) == [.beginSave, .prepare, .snapshot, .rows, .commit])
    }

    @Test func `are few for a fetch of 10,000 objects`() throws {
        try messages { try Self.insertSongs(10_000, $0) }

        let sent = try messages { context in
            let found = try context.fetch(FetchRequest<ManagedObject>("Song"))
            #expect(found.count == 10_000)
        }

        #expect(sent == [.snapshot, .fetch])
    }

    @Test func `are four for 10,000 objects with three relationships`() throws {
        try library.open().insertRelatedSongs(10_000)

        let sent = try messages { context in
            var request = FetchRequest<ManagedObject>("Song")
            request.relationshipKeyPathsForPrefetching = ["album", "singers", "genres"]
            let found = try context.fetch(request)
            #expect(found.count == 10_000)
        }

        #expect(sent.count <= 4, "\(sent)")
    }

    @Test func `are at most one for each 4 MiB of rows`() throws {
        try messages { context in
            for _ in 0..<100 {
                try context.insertNewObject(forEntityName: "Song").setValue(
                    String(repeating: "x", count: 100_000), forKey: "title")
            }
            try context.save()
        }
        let store = try library.open()
        let snapshot = try store.snapshot()
        let cursor = try snapshot.cursor(FetchPlan(entity: try store.song))
        library.traffic.startCounting()

        var counts: [Int] = []
        while let batch = try cursor.next(atMost: 10_000) { counts.append(batch.count) }

        #expect(counts.reduce(0, +) == 100)
        #expect(library.traffic.operations.count == counts.count)
        #expect(counts.count >= 3)
        let rows = try snapshot.rows(for: (1...100).map { try store.id($0) })
        #expect(rows.count == 100)
        #expect(library.traffic.operations.count(where: { $0 == .rows }) >= 3)
    }

    @Test func `are one for rows that another client changed, and none for other rows`() throws {
        try messages { try Self.insertSongs(1000, $0) }
        let others = try library.coordinator()
        try ContextHandle(coordinator: others).performAndWait { context in
            let songs = try context.fetch(FetchRequest<ManagedObject>("Song"))
            let song = try #require(songs.first { $0.objectID.key == 7 })
            try song.setValue("changed", forKey: "title")
            try context.save()
        }

        let look = try messages { context in
            let count = try context.count(for: FetchRequest<ManagedObject>("Song"))
            #expect(count == 1000)
        }
        let store = try library.open()
        let ids = try (1...1000).map { try store.id($0) }
        let reads = try messages { context in
            let titles = try ids.map { id in
                try context.object(with: id).value(forKey: "title") as? String
            }
            #expect(titles[6] == "changed")
            #expect(titles[7] == "song 7")
        }

        #expect(look == [.snapshot, .changes, .count])
        #expect(reads.filter { $0 != .snapshot } == [.rows])
    }
}
