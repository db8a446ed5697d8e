import CairnLMDB
import CairnModel
import CairnRows
import CairnStore
import Foundation
import Testing

/// Writes that the operating system refuses. The descriptors of the open file are replaced by `/dev/full`,
/// which refuses every write with ENOSPC.
@Suite struct `A failed write of an LMDB store` {
    @Test func `leaves a store that can be read and saved after its file is reopened`() throws {
        let fixture = try LMDBFixture()
        let store = try fixture.open()
        try fixture.insert(store, [fixture.row(store, "Tag", 1)])

        let error = try failedSave(of: 2, in: store, fixture, .metaPage)

        guard case .commitOutcomeUnknown(let failure) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(failure.code == Int(ENOSPC))
        #expect(try keys(store, fixture) == [1])
        #expect(try store.metadata().type == "LMDB")
        #expect(try store.findDisagreements().isEmpty)
        try fixture.insert(store, [fixture.row(store, "Tag", 3)])
        #expect(try keys(store, fixture) == [1, 3])
        try store.close()
        #expect(try keys(fixture.open(creates: false), fixture) == [1, 3])
    }

    @Test func `makes snapshots that are still held throw errors once the file is reopened`() throws
    {
        let fixture = try LMDBFixture()
        let store = try fixture.open()
        try fixture.insert(store, [fixture.row(store, "Tag", 1)])
        let held = try store.snapshot()
        let tags = FetchPlan(entity: try fixture.entity("Tag"))
        let cursor = try held.cursor(tags)

        _ = try failedSave(of: 2, in: store, fixture, .metaPage)
        #expect(try keys(store, fixture) == [1])

        for read in [
            { _ = try held.cursor(tags).next(atMost: 1) },
            { _ = try cursor.next(atMost: 1) },
            { _ = try held.count(tags) },
            { _ = try held.rows(for: [try fixture.id(store, "Tag", 1)]) },
        ] as [() throws -> Void] {
            let error = #expect(throws: StoreError.self, performing: read)
            guard case .engineFailure(let failure)? = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(failure.message.contains("opened again"))
        }
    }

    @Test func `is survived by every store on the file, which is reopened once`() throws {
        let fixture = try LMDBFixture()
        let stores = try (0..<3).map { _ in try fixture.open() }
        try fixture.insert(stores[0], [fixture.row(stores[0], "Tag", 1)])

        _ = try failedSave(of: 2, in: stores[0], fixture, .metaPage)

        for store in stores.reversed() { #expect(try keys(store, fixture) == [1]) }
        #expect(try OpenDescriptors(of: fixture.file).metaPage.count == 1)
        for (store, key) in zip(stores, Int64(3)...) {
            try fixture.insert(store, [fixture.row(store, "Tag", key)])
        }
        for store in stores { #expect(try keys(store, fixture) == [1, 3, 4, 5]) }
    }

    @Test func `is survived many times while threads read`() async throws {
        let fixture = try LMDBFixture()
        let store = try fixture.open(options: [.timeout: 60])
        try fixture.insert(store, [fixture.row(store, "Tag", 1)])

        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    for _ in 0..<200 {
                        do {
                            let found = try keys(store, fixture)
                            #expect(found.contains(1))
                        } catch StoreError.engineFailure(let failure) {
                            // The file was reopened while the snapshot was held.
                            #expect(failure.message.contains("opened again"), "\(failure)")
                        }
                    }
                }
            }
            group.addTask {
                for key in Int64(0)..<20 {
                    _ = try failedSave(of: 1000 + key, in: store, fixture, .metaPage)
                    try fixture.insert(store, [fixture.row(store, "Tag", 2 + key)])
                }
            }
            try await group.waitForAll()
        }

        #expect(try keys(store, fixture) == Array(1...21))
    }

    @Test func `does not reuse keys that the save had reserved`() throws {
        let fixture = try LMDBFixture()
        let store = try fixture.open()
        let tag = try fixture.entity("Tag").number
        let transaction = try store.beginSave()
        #expect(try transaction.reserveKeys([tag: 5])[tag] == 1..<6)
        try transaction.prepare(SaveRequest(inserted: RowBatch([fixture.row(store, "Tag", 1)])))
        try OpenDescriptors(of: fixture.file).fill(.metaPage)
        #expect(throws: StoreError.self) { try transaction.commit() }
        transaction.rollback()

        try store.close()
        let other = try fixture.open(creates: false)
        let next = try other.beginSave()
        #expect(try next.reserveKeys([tag: 1])[tag] == 6..<7)
        next.rollback()
    }

    @Test func `reports that the disk is full and nothing was saved if it is a page write`()
        throws
    {
        let fixture = try LMDBFixture()
        let store = try fixture.open()
        try fixture.insert(store, [fixture.row(store, "Tag", 1)])
        let held = try store.snapshot()

        let error = try failedSave(of: 2, in: store, fixture, .pages)

        guard case .engineFailure(let failure) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(failure.code == Int(ENOSPC))
        // Only writes of other pages failed, so the file is not reopened.
        #expect(try held.count(FetchPlan(entity: fixture.entity("Tag"))) == 1)
    }

    @Test func `is remembered as not saved`() throws {
        let fixture = try LMDBFixture()
        let store = try fixture.open()
        let ids = [SaveID(), SaveID()]
        try fixture.insert(store, [fixture.row(store, "Tag", 1)])

        for id in ids {
            let error = try failedSave(of: 2, in: store, fixture, .metaPage, named: id)
            guard case .commitOutcomeUnknown = error else {
                Issue.record("\(error)")
                return
            }
            let before = try store.newestGeneration()
            #expect(try store.outcome(of: id) == .notSaved)
            // Only a commit overwrites the page that may be half written.
            #expect(try store.newestGeneration() > before)
        }

        #expect(try keys(store, fixture) == [1])
        try store.close()
        let again = try fixture.open(creates: false)
        #expect(try keys(again, fixture) == [1])
        #expect(try again.outcome(of: ids[0]) == .notSaved)
    }

    private func keys(_ store: LMDBStore, _ fixture: LMDBFixture) throws -> [Int64] {
        try fixture.fetch(store.snapshot(), FetchPlan(entity: fixture.entity("Tag"))).map(\.key)
    }

    /// Saves a tag while the given writes fail because the disk is full. Returns the error.
    private func failedSave(
        of key: Int64, in store: LMDBStore, _ fixture: LMDBFixture,
        _ writes: OpenDescriptors.Writes, named id: SaveID? = nil
    ) throws -> StoreError {
        let transaction = try store.beginSave()
        var request = SaveRequest(inserted: RowBatch([try fixture.row(store, "Tag", key)]))
        request.id = id
        try transaction.prepare(request)
        try OpenDescriptors(of: fixture.file).fill(writes)
        return try #require(throws: StoreError.self) { try transaction.commit() }
    }
}

/// The descriptors through which this process has a file open for writing.
struct OpenDescriptors {
    /// A kind of write that LMDB performs.
    enum Writes {
        /// Writes of all pages except the meta pages.
        case pages
        /// The last write of a save, through a descriptor with synchronous writes.
        case metaPage
    }

    private(set) var pages: [Int32] = []
    private(set) var metaPage: [Int32] = []

    init(of file: URL) throws {
        let path = file.resolvingSymlinksInPath().path
        for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
            guard let descriptor = Int32(name),
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)"))
                    == path
            else { continue }
            let flags = fcntl(descriptor, F_GETFL)
            switch flags & O_ACCMODE {
            case O_WRONLY where flags & O_DSYNC != 0: metaPage.append(descriptor)
            case O_RDWR: pages.append(descriptor)
            default: break
            }
        }
    }

    /// Makes these writes fail until the file is reopened.
    func fill(_ writes: Writes) throws {
        let full = open("/dev/full", O_RDWR | O_CLOEXEC)
        defer { close(full) }
        let descriptors = writes == .pages ? pages : metaPage
        #expect(!descriptors.isEmpty)
        for descriptor in descriptors { #expect(dup2(full, descriptor) == descriptor) }
    }
}
