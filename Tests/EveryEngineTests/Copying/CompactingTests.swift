import Cairn
import CairnStore
import CairnTestSupport
import Foundation
import Testing

@testable import CairnStoreCopying

@Suite struct `A store that is compacted` {
    private static let compactingTypes: [StoreType] = ["LMDB", "SQLite"]

    /// Creates a store with the contents of the fixture, from which many songs were deleted.
    private func makeStore(
        _ type: StoreType, in fixture: CopyingFixture
    ) throws -> (contents: CopyingFixture.Contents, metadata: StoreMetadata) {
        let store = try fixture.makeStore(type)
        try fixture.fill(store)
        try fixture.insertSongs(20_000, seconds: 9)
        try ContextHandle(coordinator: fixture.coordinator).performAndWait { context in
            let songs = try context.fetch(
                FetchRequest<ManagedObject>("Song", where: "seconds == 9"))
            for song in songs { try context.delete(song) }
            try context.save()
        }
        let made = (try fixture.contents(of: store), try store.metadata())
        try fixture.coordinator.remove(store)
        return made
    }

    private func byteCount(_ url: URL) throws -> Int64 {
        try StoreFileSet(StoreRegistry.builtIn.fileEngine(ofType: "LMDB", for: .file(url)), at: url)
            .mainByteCount
    }

    /// Returns the names of files that do not belong to the store.
    private func leftFiles(in fixture: CopyingFixture) throws -> [String] {
        try fixture.files().filter { $0 != ".source_SUPPORT" }
    }

    private func closed(_ type: StoreType, _ url: URL) throws -> ClosedStore {
        ClosedStore(
            try StoreRegistry.builtIn.fileEngine(ofType: type, for: .file(url)), ofType: type,
            at: url)
    }

    @Test(arguments: compactingTypes)
    func `is smaller, and otherwise the same`(_ type: StoreType) throws {
        let fixture = try CopyingFixture()
        let (contents, metadata) = try makeStore(type, in: fixture)
        let url = fixture.file("source")
        let before = try byteCount(url)

        let sizes = try #require(try closed(type, url).compact())

        let after = try byteCount(url)
        #expect(sizes.before == before && sizes.after == after)
        #expect(after < before / 4, "\(before) to \(after)")
        #expect(try leftFiles(in: fixture) == [])
        let store = try fixture.makeStore(type)
        #expect(try fixture.contents(of: store) == contents)
        #expect(try store.metadata().identifier == metadata.identifier)
        #expect(try store.metadata().values == metadata.values)
        #expect(try (store as? any SelfCheckingStore)?.findDisagreements().isEmpty == true)
        // Keys of deleted objects are not given again.
        try fixture.insertSongs(1, seconds: 4)
        let new = try fixture.contents(of: store).versions.keys.filter {
            contents.versions[$0] == nil
        }
        #expect(new == ["Song/20007"])
    }

    @Test(arguments: compactingTypes)
    func `is refused while it is open`(_ type: StoreType) throws {
        let fixture = try CopyingFixture()
        try fixture.fill(try fixture.makeStore(type))

        let error = #expect(throws: StoreCopyError.self) {
            try closed(type, fixture.file("source")).compact()
        }

        guard case .store(.locked)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try leftFiles(in: fixture) == [])
    }

    @Test(arguments: ["XML", "Binary"] as [StoreType])
    func `stays as it is if its engine writes whole files`(_ type: StoreType) throws {
        let fixture = try CopyingFixture()
        let store = try fixture.makeStore(type)
        try fixture.fill(store)
        try fixture.coordinator.remove(store)
        let bytes = try Data(contentsOf: fixture.file("source"))

        let sizes = try closed(type, fixture.file("source")).compact()

        #expect(sizes == nil)
        #expect(try Data(contentsOf: fixture.file("source")) == bytes)
    }

    @Test func `with LMDB is as small as its copy`() throws {
        let fixture = try CopyingFixture()
        _ = try makeStore(.lmdb, in: fixture)
        let store = try fixture.makeStore(.lmdb)
        let copier = StoreCopier(to: try StoreRegistry.builtIn.engine(ofType: .lmdb))
        try copier.copy(store, to: fixture.file("copy"))
        try fixture.coordinator.remove(store)

        let sizes = try #require(try closed(.lmdb, fixture.file("source")).compact())

        let copied = try byteCount(fixture.file("copy"))
        #expect(copied < sizes.before / 4)
        #expect(sizes.after < sizes.before / 4)
    }
}
