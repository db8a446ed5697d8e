import CairnLMDB
import CairnModel
import CairnStore
import CairnTestSupport
import Foundation
import Testing

@Suite(.serialized) struct `LMDB store shared by several processes` {
    @Test func `loses no save of two processes that save at the same time`() throws {
        let fixture = try LMDBFixture()
        let store = try fixture.open(options: [.timeout: 60])
        try fixture.insert(store, [fixture.row(store, "Book", 1, ["pages": 0])])

        let others = try (0..<2).map { _ in
            try WorkerProcess("library", "count", fixture.file.path, "40")
        }
        var (done, conflicts) = (0, 0)
        let layout = fixture.layouts.layout(of: try fixture.entity("Book"))
        let pages = try #require(layout.slot(named: "pages"))
        let id = try fixture.id(store, "Book", 1)
        while done < 40 {
            let old = try #require(try store.snapshot().rows(for: [id]).rows.first { _ in true })
            let update = try fixture.update(
                store, "Book", 1, from: old.version, ["pages": .integer(old.integer(pages) + 1)])
            do {
                try fixture.save(store, SaveRequest(updated: [update]))
                done += 1
            } catch StoreError.rowConflicts {
                conflicts += 1
            }
        }

        #expect(others.map { $0.end() } == [.code(0), .code(0)])
        let row = try #require(try store.snapshot().rows(for: [id]).rows.first { _ in true })
        #expect(row.integer(pages) == 120)
        #expect(row.version == 121)
    }

    @Test func `waits for the save of another process, and no longer than its timeout`() throws {
        let fixture = try LMDBFixture()
        let store = try fixture.open(options: [.timeout: 0.05])
        let other = try WorkerProcess("library", "prepare", fixture.file.path)
        #expect(other.line() == "prepared 1")

        let error = #expect(throws: StoreError.self) { _ = try store.beginSave() }
        other.killNow()

        guard case .busy? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        try fixture.insert(store, [fixture.row(store, "Tag", 5)])
    }

    @Test func `forgets a save whose process is killed before its commit`() throws {
        let fixture = try LMDBFixture()
        let store = try fixture.open()
        let plan = FetchPlan(entity: try fixture.entity("Tag"))
        for _ in 0..<5 {
            let other = try WorkerProcess("library", "prepare", fixture.file.path)
            #expect(other.line()?.hasPrefix("prepared") == true)
            other.killNow()
        }

        #expect(try store.snapshot().count(plan) == 0)
        try fixture.insert(store, [fixture.row(store, "Tag", 1)])
        try store.close()

        #expect(try fixture.open().snapshot().count(plan) == 1)
    }

    @Test func `does not grow without limit after a reader was killed`() throws {
        let fixture = try LMDBFixture()
        let options: StoreOptions = [.mapByteCount: 1_048_576]
        let store = try fixture.open(options: options)
        let label = Value.string(String(repeating: "r", count: 20_000))
        try fixture.insert(store, [fixture.row(store, "Tag", 1, ["label": label])])
        let reader = try WorkerProcess("library", "hold", fixture.file.path)
        #expect(reader.line()?.hasPrefix("holding") == true)
        reader.killNow()

        for version in Int64(1)...600 {
            let update = try fixture.update(store, "Tag", 1, from: version, ["label": label])
            try fixture.save(store, SaveRequest(updated: [update]))
        }

        let size = try FileManager.default.attributesOfItem(atPath: fixture.file.path)[.size]
        #expect(size as? Int ?? .max < 6 << 20)
    }

    @Test func `follows the growth of the file by another process`() throws {
        let fixture = try LMDBFixture()
        let store = try fixture.open(options: [.mapByteCount: 1_048_576])
        let plan = FetchPlan(entity: try fixture.entity("Tag"))
        let held = try store.snapshot()

        let other = try WorkerProcess("library", "grow", fixture.file.path, "20", "300000")
        #expect(other.line() == "grown")
        #expect(other.end() == .code(0))

        #expect(try fixture.fetch(store.snapshot(), plan).count == 20)
        #expect(try held.count(plan) == 0)
        try fixture.insert(store, [fixture.row(store, "Tag", 100)])
        #expect(try store.snapshot().count(plan) == 21)
    }
}
