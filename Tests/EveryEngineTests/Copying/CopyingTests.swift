import Cairn
import CairnMemory
import CairnTestSupport
import Foundation
import GraphSupport
import Synchronization
import Testing

/// The library's copying and moving of stores from engine to engine.
@Suite struct `Copying stores` {
    private let fixture: CopyingFixture

    init() throws { fixture = try CopyingFixture() }

    @Test(arguments: CopyingFixture.routes)
    func `keeps keys, versions, values, orders and metadata`(
        _ route: CopyingFixture.Route
    ) throws {
        let source = try fixture.makeStore(route.from)
        try fixture.fill(source)
        let wanted = try fixture.contents(of: source)

        let moved = try fixture.coordinator.migratePersistentStore(
            source, to: fixture.file("copy"), type: route.to)

        #expect(try fixture.contents(of: moved) == wanted)
        #expect(try moved.metadata().values["origin"] == "a test")
        #expect(fixture.coordinator.persistentStores.map(\.number) == [moved.number])
        #expect(wanted.versions.contains { $0.value > 1 })
        #expect(wanted.members.count == 12)
    }

    @Test(arguments: CopyingFixture.routes)
    func `does not reuse a key that was copied`(_ route: CopyingFixture.Route) throws {
        let source = try fixture.makeStore(route.from)
        try fixture.fill(source)
        let known = Set(try fixture.contents(of: source).versions.keys)

        let moved = try fixture.coordinator.migratePersistentStore(
            source, to: fixture.file("copy"), type: route.to)
        try fixture.insertSongs(1)

        let added = Set(try fixture.contents(of: moved).versions.keys).subtracting(known)
        #expect(added.count == 1)
    }

    @Test(arguments: everyFileEngine)
    func `leaves nothing when its progress is cancelled`(_ type: StoreType) throws {
        let source = try fixture.makeStore(.lmdb)
        try fixture.insertSongs(200)
        let before = try fixture.files()

        let error = #expect(throws: GraphError.self) {
            try fixture.coordinator.migratePersistentStore(
                source, to: fixture.file("copy"), type: type
            ) { $0.objectCount > 0 ? .cancel : .proceed }
        }

        guard case .copyCancelled? = error else {
            Issue.record("not a cancellation: \(String(describing: error))")
            return
        }
        #expect(try fixture.files() == before)
        #expect(fixture.coordinator.persistentStores.map(\.number) == [source.number])
        try fixture.insertSongs(1)
    }

    @Test func `stops when its task is cancelled`() async throws {
        let source = try fixture.makeStore(.lmdb)
        try fixture.insertSongs(200)
        let before = try fixture.files()
        let (coordinator, target) = (fixture.coordinator, fixture.file("copy"))

        let task = Task {
            try await coordinator.migratePersistentStore(source, to: target, type: .sqlite) { _ in
                withUnsafeCurrentTask { $0?.cancel() }
                return .proceed
            }
        }
        task.cancel()
        let result = await task.result

        guard case .failure(let error) = result, case .copyCancelled? = error as? GraphError else {
            Issue.record("not cancelled: \(result)")
            return
        }
        #expect(try fixture.files() == before)
    }

    @Test func `leaves nothing when the destination cannot store a value`() throws {
        let source = try fixture.makeStore(.lmdb)
        try fixture.insertSongs(5000)
        try fixture.insertSongs(1, seconds: .nan)
        let before = try fixture.files()
        let reached = Mutex(0)

        let error = #expect(throws: GraphError.self) {
            try fixture.coordinator.migratePersistentStore(
                source, to: fixture.file("copy"), type: .sqlite
            ) { progress in
                reached.withLock { $0 = progress.objectCount }
                return .proceed
            }
        }

        guard case .store(.unsupportedValue(_, let attribute, _))? = error else {
            Issue.record("not refused for its value: \(String(describing: error))")
            return
        }
        #expect(attribute == "seconds")
        #expect(reached.withLock { $0 } > 0)
        #expect(try fixture.files() == before)
    }

    @Test(arguments: everyFileEngine)
    func `refuses a destination that exists`(_ type: StoreType) throws {
        let source = try fixture.makeStore(.lmdb)
        try Data("mine".utf8).write(to: fixture.file("copy"))

        let error = #expect(throws: GraphError.self) {
            try fixture.coordinator.migratePersistentStore(
                source, to: fixture.file("copy"), type: type)
        }

        guard case .destinationExists? = error else {
            Issue.record("not refused: \(String(describing: error))")
            return
        }
        #expect(try Data(contentsOf: fixture.file("copy")) == Data("mine".utf8))
    }

    @Test func `replaces a store, and keeps it if the copy fails`() throws {
        let source = try fixture.makeStore(.lmdb)
        try fixture.insertSongs(3)
        let target = fixture.file("copy")
        try StoreCopier(to: SQLiteStore.self).copy(source, to: target)
        let old = try Data(contentsOf: target)
        try fixture.insertSongs(4)
        let copier = StoreCopier(to: LMDBStore.self, replacing: SQLiteStore.self)

        #expect(throws: GraphError.self) {
            try copier.copy(source, to: target) { _ in .cancel }
        }
        let kept = try Data(contentsOf: target)
        let result = try copier.copy(source, to: target)

        #expect(kept == old)
        #expect(result.objectCount == 7)
        #expect(LMDBStore.recognizes(.file(target)))
        #expect(try LMDBStore.entityCounts(at: .file(target))["Song"] == 7)
        #expect(try !fixture.files().contains { $0.hasPrefix(".copy") })
    }

    @Test func `is refused from a store to itself, and into memory`() throws {
        let source = try fixture.makeStore(.lmdb)
        let itself = try #require(source.url)

        #expect(throws: GraphError.self) {
            try StoreCopier(to: LMDBStore.self, replacing: LMDBStore.self)
                .copy(source, to: itself)
        }
        #expect(throws: GraphError.self) {
            try StoreCopier(to: InMemoryStore.self).copy(source, to: fixture.file("copy"))
        }
        try fixture.insertSongs(1)
    }
}
