import CairnLMDB
import CairnModel
import CairnRows
import CairnStore
import CairnTestSupport
import Foundation
import Testing

@Suite struct `LMDB environment` {
    @Test func `is busy while all slots for snapshots are taken`() throws {
        let fixture = try LMDBFixture()
        let store = try fixture.open(options: [.readerCount: 4])
        var held: [any StoreSnapshot] = []
        let error = #expect(throws: StoreError.self) {
            // LMDB rounds the number of readers up to fill its pages.
            for _ in 0..<10_000 { held.append(try store.snapshot()) }
        }

        guard case .busy? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        held.removeLast()
        _ = try store.snapshot()
    }

    @Test func `does not divide a fetch if there is no slot for another snapshot`() throws {
        let fixture = try LMDBFixture()
        let store = try fixture.open(options: [.readerCount: 4])
        let tag = try fixture.entity("Tag")
        try fixture.insert(store, (1...40).map { try fixture.row(store, "Tag", $0) })
        var held: [any StoreSnapshot] = []
        while let snapshot = try? store.snapshot() { held.append(snapshot) }
        let plan = FetchPlan(entity: tag)

        let parts = try held[0].parts(of: plan, atMost: 2, rowsEach: 10)
        #expect(parts.isEmpty)

        held.removeLast()
        let later = try held[0].parts(of: plan, atMost: 2, rowsEach: 10)
        #expect(later.count == 2)
    }

    @Test func `removes what killed processes left next to a store that they created`() throws {
        let fixture = try LMDBFixture()
        try fixture.open().close()
        // No process has the greatest possible process ID.
        let name = ".\(fixture.file.lastPathComponent).creating-\(Int32.max)-aBcDeF"
        let leftover = fixture.file.deletingLastPathComponent().appending(path: name)
        try FileManager.default.createDirectory(at: leftover, withIntermediateDirectories: false)

        try fixture.open(readOnly: true).close()
        let isThereAfterReading = FileManager.default.fileExists(atPath: leftover.path)
        try fixture.open().close()

        #expect(isThereAfterReading)
        #expect(!FileManager.default.fileExists(atPath: leftover.path))
    }

    @Test func `reuses the slots of snapshots whose processes were killed`() throws {
        let fixture = try LMDBFixture()
        let store = try fixture.open(options: [.readerCount: 4])
        var held: [any StoreSnapshot] = []
        while let snapshot = try? store.snapshot() { held.append(snapshot) }
        held.removeLast()
        let other = try WorkerProcess("library", "hold", fixture.file.path)
        #expect(other.line()?.hasPrefix("holding") == true)
        #expect(throws: StoreError.self) { try store.snapshot() }

        other.killNow()

        _ = try store.snapshot()
    }

    @Test func `loses no save of several threads with two stores on one file`() async throws {
        let fixture = try LMDBFixture()
        let stores = try (0..<2).map { _ in try fixture.open(options: [.timeout: 60]) }
        let tag = try fixture.entity("Tag")

        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                let store = stores[task % 2]
                group.addTask {
                    for _ in 0..<25 {
                        let transaction = try store.beginSave()
                        let keys = try transaction.reserveKeys([tag.number: 2])
                        let key = try #require(keys[tag.number]?.lowerBound)
                        let row = try fixture.row(store, "Tag", key)
                        try transaction.prepare(SaveRequest(inserted: RowBatch([row])))
                        _ = try transaction.commit()
                        _ = try store.snapshot().count(FetchPlan(entity: tag))
                    }
                }
            }
            try await group.waitForAll()
        }

        #expect(try stores[0].snapshot().count(FetchPlan(entity: tag)) == 100)
        let transaction = try stores[1].beginSave()
        #expect(try transaction.reserveKeys([tag.number: 1])[tag.number] == 201..<202)
        transaction.rollback()
    }

    @Test func `grows the map while threads read`() async throws {
        let fixture = try LMDBFixture()
        let store = try fixture.open(options: [.mapByteCount: 1_048_576])
        let tag = try fixture.entity("Tag")
        let label = Value.string(String(repeating: "g", count: 50_000))
        try fixture.insert(store, [fixture.row(store, "Tag", 1, ["label": label])])

        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    for _ in 0..<150 {
                        let cursor = try store.snapshot().cursor(FetchPlan(entity: tag))
                        var count = 0
                        while let batch = try cursor.next(atMost: 3) { count += batch.count }
                        #expect(count >= 1)
                    }
                }
            }
            group.addTask {
                for key in Int64(2)...150 {
                    let row = try fixture.row(store, "Tag", key, ["label": label])
                    try fixture.insert(store, [row])
                }
            }
            try await group.waitForAll()
        }

        #expect(try store.snapshot().count(FetchPlan(entity: tag)) == 150)
    }

    @Test func `accepts a file that lacks only free pages`() throws {
        let fixture = try LMDBFixture()
        let store = try fixture.open()
        let label = Value.string(String(repeating: "f", count: 9000))
        try fixture.insert(
            store, (1...60).map { try fixture.row(store, "Tag", $0, ["label": label]) })
        try fixture.save(
            store,
            SaveRequest(
                deleted: try (4...60).map {
                    RowDeletion(id: try fixture.id(store, "Tag", $0), previousVersion: 1)
                }))
        // These saves move the pages in use to the front, where pages have become free.
        for round in Int64(0)..<6 {
            try fixture.save(store, SaveRequest(metadata: ["round": .integer(round)]))
        }
        try store.close()
        let bytes = try Data(contentsOf: fixture.file)
        let pages = bytes.count / 4096
        var taken: [Int] = []

        for missing in 1...pages {
            try bytes.prefix((pages - missing) * 4096).write(to: fixture.file)
            try? FileManager.default.removeItem(atPath: fixture.file.path + "-lock")
            guard let store = try? fixture.open(creates: false) else { break }
            taken.append(missing)
            let tags = FetchPlan(entity: try fixture.entity("Tag"))
            #expect(try fixture.fetch(store.snapshot(), tags).count == 3)
            try fixture.insert(store, [fixture.row(store, "Tag", 100, ["label": label])])
            #expect(try fixture.fetch(store.snapshot(), tags).count == 4)
            try store.close()
        }

        print("LMDB file of \(pages) pages: opens without the last \(taken.last ?? 0)")
        #expect((1..<pages - 5).contains(taken.count))
    }
}
