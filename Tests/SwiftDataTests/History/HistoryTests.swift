import CairnTestSupport
import Foundation
import SwiftData
import Testing

@Model
class Song {
    @Attribute(.preserveValueOnDeletion) var title: String
    @Attribute(.preserveValueOnDeletion) var season: Season?
    @Attribute(.preserveValueOnDeletion) var home: Address?
    var plays = 0
    var album: Album?

    init(_ title: String) { self.title = title }
}

@Model
final class Cover: Song {
    @Attribute(.preserveValueOnDeletion) var artist: String

    init(_ title: String, by artist: String) {
        self.artist = artist
        super.init(title)
    }
}

@Model
final class Album {
    var name: String
    @Relationship(inverse: \Song.album) var songs: [Song] = []

    init(_ name: String) { self.name = name }
}

@Suite struct `The history of a container` {
    typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>

    /// Inserts a song, and saves it in a transaction of its own.
    @discardableResult
    private func add(_ title: String, by author: String? = nil, to context: ModelContext) throws
        -> Song
    {
        let song = Song(title)
        context.insert(song)
        context.author = author
        try context.save()
        return song
    }

    /// Returns the authors of the transactions that match a predicate.
    private func authors(
        where predicate: Predicate<DefaultHistoryTransaction>?, in context: ModelContext
    ) throws -> [String?] {
        try context.fetchHistory(Descriptor(predicate: predicate)).map(\.author)
    }

    // MARK: Transactions

    @Test(arguments: StoreKind.allCases)
    func `has a transaction for each save`(_ kind: StoreKind) throws {
        try kind.withContext(for: Song.self, Cover.self, Album.self) { context in
            let start = Date()
            let song = try add("a", by: "editor", to: context)
            song.plays = 1
            try context.save()

            let history = try context.fetchHistory(Descriptor())

            #expect(history.count == 2)
            let first = try #require(history.first)
            #expect(first.author == "editor")
            #expect(first.storeIdentifier == song.persistentModelID.storeIdentifier)
            #expect(first.processIdentifier == ProcessInfo.processInfo.processName)
            #expect(first.bundleIdentifier == first.processIdentifier)
            #expect(abs(first.timestamp.timeIntervalSince(start)) < 600)
            #expect(first.id == first.transactionIdentifier)
            #expect(history[1].transactionIdentifier > first.transactionIdentifier)
            #expect(history[1].token > first.token)
            #expect(history[1] != first)
            #expect(try context.fetchHistory(Descriptor()) == history)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `tells what happened to which model`(_ kind: StoreKind) throws {
        try kind.withContext(for: Song.self, Cover.self, Album.self) { context in
            let (kept, removed) = (Song("kept"), Song("removed"))
            context.insert(kept)
            context.insert(removed)
            try context.save()
            let ids = (kept.persistentModelID, removed.persistentModelID)
            (kept.plays, kept.title) = (3, "renamed")
            context.delete(removed)
            try context.save()

            let history = try context.fetchHistory(Descriptor())

            #expect(history.count == 2)
            #expect(
                Set(history[0].changes.map(\.changedPersistentIdentifier)) == [ids.0, ids.1])
            for change in history[0].changes {
                guard case .insert(let insert as DefaultHistoryInsert<Song>) = change else {
                    Issue.record("not the insertion of a song: \(change)")
                    continue
                }
                #expect(insert.transactionIdentifier == history[0].transactionIdentifier)
            }
            guard case .delete(let deletion as DefaultHistoryDelete<Song>) = history[1].changes[0],
                case .update(let update as DefaultHistoryUpdate<Song>) = history[1].changes[1]
            else {
                Issue.record("not a deletion and an update: \(history[1].changes)")
                return
            }
            #expect(deletion.changedPersistentIdentifier == ids.1)
            #expect(deletion.changeIdentifier == 1)
            #expect(update.changedPersistentIdentifier == ids.0)
            #expect(update.changeIdentifier == 2)
            #expect(update.updatedAttributes == [\Song.plays, \Song.title])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `counts the change of a relationship at its to-one end`(_ kind: StoreKind) throws {
        try kind.withContext(for: Song.self, Cover.self, Album.self) { context in
            let (song, album) = (Song("a"), Album("x"))
            context.insert(song)
            context.insert(album)
            try context.save()
            album.songs = [song]
            try context.save()

            let changes = try #require(try context.fetchHistory(Descriptor()).last).changes

            #expect(changes.count == 1)
            guard case .update(let update as DefaultHistoryUpdate<Song>)? = changes.first else {
                Issue.record("not the update of a song: \(changes)")
                return
            }
            #expect(update.updatedAttributes == [\Song.album])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `has the changes of a subclass, with inherited properties`(_ kind: StoreKind) throws {
        try kind.withContext(for: Song.self, Cover.self, Album.self) { context in
            let cover = Cover("a", by: "x")
            context.insert(cover)
            try context.save()
            (cover.title, cover.artist) = ("b", "y")
            try context.save()

            let changes = try context.fetchHistory(Descriptor()).flatMap(\.changes)

            guard case .insert(_ as DefaultHistoryInsert<Cover>) = changes[0],
                case .update(let update as DefaultHistoryUpdate<Cover>) = changes[1]
            else {
                Issue.record("not the changes of a cover: \(changes)")
                return
            }
            #expect(update.updatedAttributes == [\Cover.artist, \Cover.title])
            #expect(update.updatedAttributes.contains(\.title))
            #expect(update.updatedAttributes.map { cover[keyPath: $0] as? String } == ["y", "b"])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `preserves values of deleted models`(_ kind: StoreKind) throws {
        try kind.withContext(for: Song.self, Cover.self, Album.self) { context in
            let cover = Cover("a", by: "x")
            cover.home = Address(street: "s", town: "t", number: 3)
            cover.plays = 7
            context.insert(cover)
            try context.save()
            context.delete(cover)
            try context.save()

            let change = try context.fetchHistory(Descriptor()).last?.changes.first

            guard case .delete(let deletion as DefaultHistoryDelete<Cover>)? = change else {
                Issue.record("not the deletion of a cover: \(String(describing: change))")
                return
            }
            let tombstone = deletion.tombstone
            #expect(tombstone[\.title] as? String == "a")
            #expect(tombstone[\.artist] as? String == "x")
            #expect(tombstone[\.home] as? Address == Address(street: "s", town: "t", number: 3))
            #expect(tombstone[\.season] == nil)
            #expect(tombstone[\.plays] == nil)
            #expect(tombstone.compactMap { $0 as? String } == ["x", "a"])
            #expect(Array(tombstone).count == 3)
        }
    }

    // MARK: Fetching

    @Test(arguments: StoreKind.allCases)
    func `is fetched by token, author and time`(_ kind: StoreKind) throws {
        try kind.withContext(for: Song.self, Cover.self, Album.self) { context in
            for (title, author) in [("a", "x"), ("b", "y"), ("c", nil), ("d", "y")] {
                try add(title, by: author, to: context)
            }
            let history = try context.fetchHistory(Descriptor())
            let (token, time, author) = (history[0].token, history[1].timestamp, "y")

            #expect(
                try authors(where: #Predicate { $0.token > token }, in: context)
                    == ["y", nil, "y"])
            #expect(try authors(where: #Predicate { $0.token <= token }, in: context) == ["x"])
            #expect(
                try authors(where: #Predicate { $0.author == author }, in: context) == ["y", "y"])
            #expect(
                try authors(where: #Predicate { $0.author != author }, in: context) == ["x", nil])
            #expect(
                try authors(where: #Predicate { $0.timestamp > time }, in: context).count
                    == history.count { $0.timestamp > time })
            #expect(
                try authors(
                    where: #Predicate { $0.author == nil && $0.token > token }, in: context)
                    == [nil])
            #expect(
                try authors(
                    where: #Predicate { $0.token > token || $0.author == "x" }, in: context)
                    == ["x", "y", nil, "y"])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `is fetched in an order and up to a limit`(_ kind: StoreKind) throws {
        try kind.withContext(for: Song.self, Cover.self, Album.self) { context in
            for author in ["b", "a", "c"] { try add(author, by: author, to: context) }
            var first = Descriptor()
            first.fetchLimit = 2
            var last = Descriptor(
                sortBy: [SortDescriptor(\.transactionIdentifier, order: .reverse)])
            last.fetchLimit = 2

            #expect(try context.fetchHistory(first).map(\.author) == ["b", "a"])
            #expect(try context.fetchHistory(last).map(\.author) == ["c", "a"])
        }
    }

    @Test func `is read completely if it has many transactions`() throws {
        try StoreKind.inMemory.withContext(for: Song.self, Cover.self, Album.self) { context in
            let song = try add("a", to: context)
            for plays in 1...250 {
                song.plays = plays
                try context.save()
            }

            let history = try context.fetchHistory(Descriptor())

            #expect(history.map(\.transactionIdentifier) == Array(1...251))
        }
    }

    @Test func `of several stores has tokens that increase`() throws {
        let folder = try TemporaryFolder()
        let container = try ModelContainer(
            for: Schema([Stop.self, Trip.self, Guide.self, Parcel.self]),
            configurations: ModelConfiguration(
                "trips", schema: Schema([Trip.self]), url: folder.file("trips")),
            ModelConfiguration(
                "parcels", schema: Schema([Parcel.self]), url: folder.file("parcels"),
                storeType: "LMDB"))
        let context = ModelContext(container)
        for name in ["a", "b", "c"] {
            context.insert(Trip(name: name))
            try context.save()
            context.insert(Parcel(code: name))
            try context.save()
        }

        let history = try context.fetchHistory(Descriptor())

        #expect(Set(history.map(\.storeIdentifier)).count == 2)
        #expect(history.map(\.token) == history.map(\.token).sorted())
        for (index, transaction) in history.enumerated() {
            let token = transaction.token
            let rest = try context.fetchHistory(
                Descriptor(predicate: #Predicate { $0.token > token }))
            #expect(rest == Array(history[(index + 1)...]))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `continues after a token that was stored`(_ kind: StoreKind) throws {
        try kind.withContext(for: Song.self, Cover.self, Album.self) { context in
            try add("a", by: "x", to: context)
            let stored = try JSONEncoder().encode(
                try #require(try context.fetchHistory(Descriptor()).last).token)
            try add("b", by: "y", to: context)

            let token = try JSONDecoder().decode(DefaultHistoryToken.self, from: stored)

            #expect(try authors(where: #Predicate { $0.token > token }, in: context) == ["y"])
            #expect(token.tokenValue?.values.map { $0 } == [1])
        }
    }

    // MARK: Deleting

    @Test(arguments: StoreKind.allCases)
    func `is deleted up to the first transaction that does not match`(_ kind: StoreKind) throws {
        try kind.withContext(for: Song.self, Cover.self, Album.self) { context in
            for author in ["x", "x", "y", "x", "x"] { try add(author, by: author, to: context) }

            try context.deleteHistory(Descriptor(predicate: #Predicate { $0.author == "x" }))

            #expect(try authors(where: nil, in: context) == ["y", "x", "x"])
            #expect(try context.fetchCount(FetchDescriptor<Song>()) == 5)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `is deleted up to a limit, and keeps its newest transaction`(_ kind: StoreKind) throws {
        try kind.withContext(for: Song.self, Cover.self, Album.self) { context in
            for author in ["a", "b", "c", "d"] { try add(author, by: author, to: context) }
            var two = Descriptor()
            two.fetchLimit = 2

            try context.deleteHistory(two)
            let afterLimit = try authors(where: nil, in: context)
            try context.deleteHistory(Descriptor())

            #expect(afterLimit == ["c", "d"])
            #expect(try authors(where: nil, in: context) == ["d"])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `cannot be read after a token whose successors were deleted`(_ kind: StoreKind) throws {
        try kind.withContext(for: Song.self, Cover.self, Album.self) { context in
            for author in ["a", "b", "c"] { try add(author, by: author, to: context) }
            let token = try context.fetchHistory(Descriptor())[0].token
            try context.deleteHistory(Descriptor())

            let error = #expect(throws: (any Error).self) {
                try authors(where: #Predicate { $0.author != nil && $0.token > token }, in: context)
            }

            #expect(String(describing: error).contains("removed"))
        }
    }

    // MARK: Containers

    @Test(arguments: ["SQLite", "LMDB", "XML", "Binary"])
    func `is kept in the store's files`(_ engine: String) throws {
        let folder = try TemporaryFolder()
        let configuration = ModelConfiguration(url: folder.file("store"), storeType: engine)
        func open() throws -> ModelContext {
            ModelContext(
                try ModelContainer(
                    for: Song.self, Cover.self, Album.self, configurations: configuration))
        }
        do { try add("a", by: "x", to: try open()) }

        #expect(try authors(where: nil, in: try open()) == ["x"])
    }

    @Test(arguments: ["SQLite", "LMDB", "XML", "Binary"])
    func `is not kept if an option says so`(_ engine: String) throws {
        let folder = try TemporaryFolder()
        let context = ModelContext(
            try ModelContainer(
                for: Song.self, Cover.self, Album.self,
                configurations: ModelConfiguration(
                    url: folder.file("store"), storeType: engine,
                    options: ["tracksHistory": false])))
        try add("a", to: context)

        let error = #expect(throws: (any Error).self) { try context.fetchHistory(Descriptor()) }

        #expect(String(describing: error).contains("tracksHistory"))
    }

    @Test(arguments: ["SQLite", "LMDB", "XML", "Binary"])
    func `begins when a store without one can be saved`(_ engine: String) throws {
        let folder = try TemporaryFolder()
        func open(allowsSave: Bool, _ options: [String: any Sendable] = [:]) throws -> ModelContext
        {
            ModelContext(
                try ModelContainer(
                    for: Song.self, Cover.self, Album.self,
                    configurations: ModelConfiguration(
                        url: folder.file("store"), allowsSave: allowsSave, storeType: engine,
                        options: options)))
        }
        do { try add("a", to: try open(allowsSave: true, ["tracksHistory": false])) }
        do {
            let context = try open(allowsSave: false)
            #expect(try context.fetchCount(FetchDescriptor<Song>()) == 1)
        }
        let context = try open(allowsSave: true)
        try add("b", by: "x", to: context)

        #expect(try authors(where: nil, in: context) == ["x"])
    }

    @Test(arguments: ["SQLite", "LMDB"])
    func `is followed while other containers save`(_ engine: String) async throws {
        let folder = try TemporaryFolder()
        let configuration = ModelConfiguration(url: folder.file("store"), storeType: engine)
        func open() throws -> ModelContainer {
            try ModelContainer(
                for: Song.self, Cover.self, Album.self, configurations: configuration)
        }
        let (reader, writer) = (try open(), try open())
        try add("a", by: "0", to: ModelContext(writer))
        var found: [String?] = []

        for try await transaction in reader.followHistory() {
            found.append(transaction.author)
            if found.count == 3 { break }
            try add("b", by: "\(found.count)", to: ModelContext(found.count == 1 ? writer : reader))
        }

        #expect(found == ["0", "1", "2"])
    }

    @Test func `is followed after a token`() async throws {
        let container = try ModelContainer(
            for: Song.self, Cover.self, Album.self,
            configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let context = ModelContext(container)
        for author in ["a", "b", "c"] { try add(author, by: author, to: context) }
        let token = try context.fetchHistory(Descriptor())[1].token

        let first = try await container.followHistory(after: token).first { _ in true }

        #expect(first?.author == "c")
    }

    @Test(arguments: ["SQLite", "LMDB", "XML", "Binary"])
    func `of a store that has none and cannot be changed throws`(_ engine: String) throws {
        let folder = try TemporaryFolder()
        let url = folder.file("default.store")
        _ = try ModelContainer(
            for: Stop.self,
            configurations: ModelConfiguration(
                url: url, storeType: engine, options: ["tracksHistory": false]))
        let context = ModelContext(
            try ModelContainer(
                for: Stop.self,
                configurations: ModelConfiguration(url: url, allowsSave: false, storeType: engine)))

        #expect(throws: (any Error).self) {
            try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        }
        withExtendedLifetime(folder) {}
    }
}
