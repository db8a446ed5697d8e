import CairnModel
import Foundation
import StackSupport
import Testing

@testable import CairnObjects
@testable import CairnStack

@Suite struct `Events of a context` {
    private let stack: MusicStack
    private let context: ManagedObjectContext
    private let recorder = EventRecorder()

    init() throws {
        stack = try MusicStack()
        context = try stack.context()
        context.observers.add(recorder)
    }

    private func insert(_ entity: String) throws -> ManagedObject {
        try context.insertNewObject(forEntityName: entity)
    }

    @Test func `combine all changes since the last event`() throws {
        let (old, doomed) = (try insert("Tag"), try insert("Tag"))
        try context.save()
        recorder.events = []

        let new = try insert("Tag")
        for name in ["a", "b", "c"] { try old.setValue(name, forKey: "name") }
        try context.delete(doomed)
        context.processPendingChanges()

        #expect(recorder.events.count == 1)
        #expect(recorder.events.first?.inserted == [new])
        #expect(recorder.events.first?.updated == [old])
        #expect(recorder.events.first?.deleted == [doomed])
    }

    @Test func `include all objects that are refreshed one after another`() throws {
        let tags = try (0..<3).map { _ in try insert("Tag") }
        try context.save()
        for tag in tags { try tag.setValue("new", forKey: "name") }
        context.processPendingChanges()
        recorder.events = []

        for tag in tags { try context.refresh(tag, mergeChanges: false) }
        context.processPendingChanges()

        #expect(recorder.events.map(\.refreshed) == [tags])
        #expect(!context.hasChanges)
    }

    @Test func `release objects whose changes were discarded`() throws {
        weak var forgotten: ManagedObject?
        do {
            let tag = try insert("Tag")
            try context.save()
            try tag.setValue("new", forKey: "name")
            try context.refresh(tag, mergeChanges: false)
            forgotten = tag
        }

        context.processPendingChanges()
        recorder.events = []

        #expect(forgotten == nil)
        #expect(context.registeredObjects.isEmpty)
    }

    @Test func `are not reported if nothing changed`() throws {
        context.processPendingChanges()
        _ = try context.fetch(FetchRequest<ManagedObject>("Tag"))

        #expect(recorder.events.isEmpty)
    }

    @Test func `do not mention an object that was inserted and deleted`() throws {
        try context.delete(try insert("Tag"))
        context.processPendingChanges()

        #expect(recorder.events.isEmpty)
    }

    @Test func `name both ends of a relationship`() throws {
        let (track, tag) = (try insert("Track"), try insert("Tag"))
        context.processPendingChanges()

        try track.objects("tags").insert(tag)
        context.processPendingChanges()

        #expect(recorder.events.last.map { Set($0.updated) } == [track, tag])
    }

    @Test func `end before a fetch`() throws {
        let tag = try insert("Tag")

        _ = try context.fetch(FetchRequest<ManagedObject>("Tag"))

        #expect(recorder.events.map(\.inserted) == [[tag]])
    }

    @Test func `do not end before a fetch that leaves pending changes out`() throws {
        _ = try insert("Tag")
        var request = FetchRequest<ManagedObject>("Tag")
        request.includesPendingChanges = false

        _ = try context.fetch(request)

        #expect(recorder.events.isEmpty)
    }

    @Test func `end before a save`() throws {
        let tag = try insert("Tag")

        try context.save()

        #expect(recorder.events.map(\.inserted) == [[tag]])
    }

    @Test func `end with the turn`() throws {
        let handle = stack.handle()
        let events = EventCounter()

        try handle.performAndWait { context in
            events.attach(to: context)
            _ = try context.insertNewObject(forEntityName: "Tag")
            // A turn within a turn is part of the outer turn.
            try handle.performAndWait { inner in
                _ = try inner.insertNewObject(forEntityName: "Tag")
            }
        }

        #expect(events.insertedCounts == [2])
    }

    @MainActor @Test func `of the main queue end with its turn`() async throws {
        let context = ManagedObjectContext(coordinator: stack.coordinator)
        var changes = context.handle.changes.makeAsyncIterator()

        _ = try context.insertNewObject(forEntityName: "Tag")
        _ = try context.insertNewObject(forEntityName: "Tag")
        let event = await changes.next()

        #expect(event?.inserted.count == 2)
    }

    @Test func `apply delete rules when they end`() throws {
        let (artist, album) = (try insert("Artist"), try insert("Album"))
        try artist.setValue("Nina", forKey: "name")
        try artist.objects("albums").insert(album)
        try context.save()
        recorder.events = []

        try context.delete(artist)
        let wasDeleted = album.isDeleted
        context.processPendingChanges()

        #expect(!wasDeleted)
        #expect(album.isDeleted)
        #expect(recorder.events.map { Set($0.deleted) } == [[artist, album]])
    }

    @Test func `leave delete rules to the save if the context says so`() throws {
        let (artist, album) = (try insert("Artist"), try insert("Album"))
        try artist.setValue("Nina", forKey: "name")
        try artist.objects("albums").insert(album)
        try context.save()
        context.propagatesDeletesAtEndOfEvent = false

        try context.delete(artist)
        context.processPendingChanges()
        let wasDeleted = album.isDeleted
        try context.save()

        #expect(!wasDeleted)
        #expect(album.managedObjectContext == nil)
    }

    @Test func `leave delete rules that a store fails to the save, which throws`() throws {
        let (artist, album) = (try insert("Artist"), try insert("Album"))
        try artist.setValue("Nina", forKey: "name")
        try artist.objects("albums").insert(album)
        try context.save()
        let other = try stack.context()
        stack.source.relatedIDsFailure = .noStore(entity: "Album", hasStores: true)

        try other.delete(try other.existingObject(with: artist.objectID))
        other.processPendingChanges()
        #expect(throws: GraphError.self) { try other.save() }
        stack.source.relatedIDsFailure = nil
        try other.save()

        #expect(try other.count(for: FetchRequest<ManagedObject>("Album")) == 0)
    }

    @Test func `hide deleted members that are loaded later`() throws {
        let (track, tag) = (try insert("Track"), try insert("Tag"))
        try track.objects("tags").insert(tag)
        try context.save()
        let other = try stack.context()

        try other.delete(try other.object(with: tag.objectID))
        other.processPendingChanges()
        let tags = try other.existingObject(with: track.objectID).objects("tags")

        #expect(tags.isEmpty)
    }

    @Test func `know the changes made so far`() throws {
        let track = try insert("Track")
        try track.setValue("Blue", forKey: "title")
        let ofNew = track.changedValuesForCurrentEvent()
        context.processPendingChanges()
        let afterEnd = track.changedValuesForCurrentEvent()

        try track.setValue(7, forKey: "number")
        try track.setValue("Red", forKey: "title")
        try track.setValue("Blue", forKey: "title")

        #expect(ofNew["title"] == "Blue")
        #expect(afterEnd.isEmpty)
        #expect(track.changedValuesForCurrentEvent() == ["number": 7])
        #expect(track.changedValues()["title"] == "Blue")
    }

    @Test func `of a rollback name what it restored and removed`() throws {
        let (kept, doomed) = (try insert("Tag"), try insert("Tag"))
        try context.save()
        let new = try insert("Tag")
        try kept.setValue("x", forKey: "name")
        try context.delete(doomed)
        context.processPendingChanges()

        context.rollback()

        #expect(recorder.events.last?.inserted == [doomed])
        #expect(recorder.events.last?.deleted == [new])
        #expect(recorder.events.last?.refreshed == [kept])
        #expect(recorder.events.last?.updated == [])
    }

    @Test func `of a reset say that all objects are gone`() throws {
        _ = try insert("Tag")

        context.reset()

        #expect(recorder.events.map(\.invalidatesAll) == [true])
    }

    @Test func `of a failed save are not reported`() throws {
        let context = try stack.context(classes: ObjectClasses([Artist.self]))
        let artist = try Artist(context: context)
        context.processPendingChanges()
        context.observers.add(recorder)

        #expect(throws: GraphError.self) { try context.save() }

        #expect(recorder.events.isEmpty)
        #expect(artist.isInserted)
        #expect(try artist["founded"] == .null)
    }

    @Test func `call a self-changing object again in the save after a failed one`()
        throws
    {
        let context = try stack.context(classes: ObjectClasses([Artist.self]))
        let artist = try Artist(context: context)
        try artist.setValue("Björk", forKey: "name")
        try context.save()
        try artist.setValue(nil, forKey: "name")
        #expect(throws: GraphError.self) { try context.save() }
        let callsBefore = artist.callCount

        try artist.setValue("Björk Guðmundsdóttir", forKey: "name")
        try context.save()

        #expect(artist.callCount == callsBefore + 2)
    }

    /// An artist without its required name. It changes itself in the first of two calls before a save, so
    /// that the second call finds nothing to do.
    private final class Artist: ManagedObject, SavePreparing {
        private(set) var callCount = 0

        func prepareForSave() {
            callCount += 1
            if callCount % 2 == 1 { try? setValue(1990 + callCount, forKey: "founded") }
        }
    }
}

/// Records the events of a context.
final class EventRecorder: ContextObserver {
    var events: [EventChanges] = []

    func context(_ context: ManagedObjectContext, didChange changes: EventChanges) {
        events.append(changes)
    }
}

/// Counts the objects that the events of a context inserted.
private final class EventCounter: ContextObserver, @unchecked Sendable {
    // Unchecked because it is used only inside the context's turns, and after the last of them.
    private(set) var insertedCounts: [Int] = []

    func attach(to context: ManagedObjectContext) { context.observers.add(self) }

    func context(_ context: ManagedObjectContext, didChange changes: EventChanges) {
        insertedCounts.append(changes.inserted.count)
    }
}
