import CairnModel
import StackSupport
import Synchronization
import Testing

@testable import CairnObjects

/// Counts its live instances. Each test has its own class, because tests run in parallel.
private final class Artist: ManagedObject {
    static let alive = Atomic<Int>(0)
    required init(_ seed: _Seed) {
        super.init(seed)
        Self.alive.add(1, ordering: .relaxed)
    }
    deinit { Self.alive.subtract(1, ordering: .relaxed) }
}
private final class Album: ManagedObject {
    static let alive = Atomic<Int>(0)
    required init(_ seed: _Seed) {
        super.init(seed)
        Self.alive.add(1, ordering: .relaxed)
    }
    deinit { Self.alive.subtract(1, ordering: .relaxed) }
}

@Suite(.serialized) struct `Objects that nobody holds` {
    private let stack: MusicStack
    private let context: ManagedObjectContext

    init() throws {
        stack = try MusicStack()
        context = try stack.context(classes: ObjectClasses([Artist.self, Album.self]))
        for _ in 0..<10 {
            let artist = try context.insert(Artist.self)
            try artist.setValue("Nina", forKey: "name")
            for _ in 0..<10 { try artist.objects("albums").insert(try context.insert(Album.self)) }
        }
        try context.save()
    }

    private var alive: Int {
        Artist.alive.load(ordering: .relaxed) + Album.alive.load(ordering: .relaxed)
    }

    /// Realizes all objects and follows their relationships in both directions, which creates a reference
    /// cycle for each pair.
    private func realise() throws -> [ManagedObject] {
        let artists: [Artist] = try context.fetch(FetchRequest<Artist>())
        let albums: [Album] = try context.fetch(FetchRequest<Album>())
        for artist in artists {
            for album in try artist.objects("albums") { _ = try album.value(forKey: "artist") }
        }
        return artists + albums
    }

    @Test func `are released even if their relationships form cycles`() throws {
        let before = alive
        var held = try realise()
        let inUse = (alive, held.count)
        held = []

        #expect(before == 0)
        #expect(inUse == (110, 110))
        #expect(alive == 0)
        #expect(context.registeredObjects.isEmpty)
    }

    @Test func `stay while they have changes, and are released after a save or undo`() throws {
        var held = try realise()
        for object in held.prefix(5) { try object.setValue("changed", forKey: "name") }
        held = []
        context.processPendingChanges()
        let changed = alive
        try context.save()
        let saved = alive
        held = try realise()
        try held[0].setValue("again", forKey: "name")
        held = []
        context.rollback()

        #expect(changed == 5)
        #expect(saved == 0)
        #expect(alive == 0)
    }

    @Test func `release their rows when they are refreshed, and are released by a reset`() throws {
        let held = try realise()
        try context.refreshAllObjects()
        let faults = held.filter { $0.isFault && $0.overlay == nil }.count
        _ = try realise()
        context.reset()

        #expect(faults == 110)
        #expect(context.registeredObjects.isEmpty)
        #expect(held.allSatisfy { $0.row == nil && $0.overlay == nil })
        #expect(held.allSatisfy { $0.managedObjectContext == nil })
    }
}
