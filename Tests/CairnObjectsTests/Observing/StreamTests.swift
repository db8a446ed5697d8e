import CairnModel
import StackSupport
import Testing

@testable import CairnObjects
@testable import CairnStack

@Suite struct `Streams of a context` {
    private let stack: MusicStack

    init() throws { stack = try MusicStack() }

    private func insertTag(_ handle: ContextHandle) throws -> ObjectID {
        try handle.performAndWait { context in
            try context.insertNewObject(forEntityName: "Tag").objectID
        }
    }

    @Test func `deliver each event once, and keep those that nobody has awaited yet`() async throws
    {
        let handle = stack.handle()
        let changes = handle.changes

        let ids = try (0..<100).map { _ in try insertTag(handle) }
        var seen: [Set<ObjectID>] = []
        for await event in changes.prefix(100) { seen.append(event.inserted) }

        #expect(seen == ids.map { [$0] })
    }

    @Test func `deliver everything to every listener`() async throws {
        let handle = stack.handle()
        let streams = [handle.changes, handle.changes]

        let id = try insertTag(handle)
        var seen: [Set<ObjectID>?] = []
        for stream in streams { seen.append(await stream.first { _ in true }?.inserted) }

        #expect(seen == [[id], [id]])
    }

    @Test func `begin when they are created`() async throws {
        let handle = stack.handle()
        _ = try insertTag(handle)
        let changes = handle.changes

        let second = try insertTag(handle)
        let first = await changes.first { _ in true }

        #expect(first?.inserted == [second])
    }

    @Test func `of saves have permanent IDs`() async throws {
        let handle = stack.handle()
        let saves = handle.saves

        let id = try handle.performAndWait { context in
            let tag = try context.insertNewObject(forEntityName: "Tag")
            try context.save()
            return tag.objectID
        }
        let save = await saves.first { _ in true }

        #expect(save?.inserted == [id])
        #expect(!id.isTemporary)
    }

    @Test func `of merges contain what was merged`() async throws {
        let handle = stack.handle()
        let merges = handle.merges

        try handle.performAndWait { context in
            let tag = try context.insertNewObject(forEntityName: "Tag")
            var changes = ObjectIDChanges()
            changes.refreshed = [tag.objectID]
            context.observers.announceMerge(changes)
        }
        let merge = await merges.first { _ in true }

        #expect(merge?.refreshed.count == 1)
    }

    @Test func `end with their context`() async throws {
        let changes: AsyncStream<ObjectIDChanges>
        do {
            let handle = stack.handle()
            changes = handle.changes
            _ = try insertTag(handle)
        }

        var count = 0
        for await _ in changes { count += 1 }

        #expect(count == 1)
    }

    @Test func `end with the task that awaits them`() async throws {
        let handle = stack.handle()
        let changes = handle.changes

        let task = Task {
            var count = 0
            for await _ in changes { count += 1 }
            return count
        }
        task.cancel()
        let count = await task.value

        #expect(count == 0)
    }

    @Test func `create no elements once nobody listens`() {
        let broadcast = Broadcast<Int>()
        var count = 0
        func make() -> Int {
            count += 1
            return count
        }

        broadcast.send(make)
        do {
            let stream = broadcast.stream()
            broadcast.send(make)
            withExtendedLifetime(stream) {}
        }
        broadcast.send(make)

        #expect(count == 1)
    }
}
