import CairnLMDB
import CairnModel
import CairnStore
import CairnTestSupport
import Foundation
import Testing

@Suite(.serialized) struct `LMDB store of several processes` {
    @Test func `loses no save of two processes that save at once`() throws {
        let fixture = try LMDBFixture()
        let store = try fixture.open(options: [.timeout: 60])
        try fixture.insert(store, [fixture.row(store, "Book", 1, ["pages": 0])])

        let others = try (0..<2).map { _ in try WorkerProcess("count", fixture.file.path, "40") }
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
        let other = try WorkerProcess("prepare", fixture.file.path)
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
            let other = try WorkerProcess("prepare", fixture.file.path)
            #expect(other.line()?.hasPrefix("prepared") == true)
            other.killNow()
        }

        #expect(try store.snapshot().count(plan) == 0)
        try fixture.insert(store, [fixture.row(store, "Tag", 1)])
        try store.close()

        #expect(try fixture.open().snapshot().count(plan) == 1)
    }

    @Test func `does not grow for ever because of a reader that was killed`() throws {
        let fixture = try LMDBFixture()
        let options: StoreOptions = [LMDBStore.mapByteCount: 1_048_576]
        let store = try fixture.open(options: options)
        let label = Value.string(String(repeating: "r", count: 20_000))
        try fixture.insert(store, [fixture.row(store, "Tag", 1, ["label": label])])
        let reader = try WorkerProcess("hold", fixture.file.path)
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
        let store = try fixture.open(options: [LMDBStore.mapByteCount: 1_048_576])
        let plan = FetchPlan(entity: try fixture.entity("Tag"))
        let held = try store.snapshot()

        let other = try WorkerProcess("grow", fixture.file.path, "20", "300000")
        #expect(other.line() == "grown")
        #expect(other.end() == .code(0))

        #expect(try fixture.fetch(store.snapshot(), plan).count == 20)
        #expect(try held.count(plan) == 0)
        try fixture.insert(store, [fixture.row(store, "Tag", 100)])
        #expect(try store.snapshot().count(plan) == 21)
    }

    // MARK: Damaged files

    /// A store with rows, links and indexes on many pages, as bytes.
    private func sample() throws -> (LMDBFixture, Data) {
        let fixture = try LMDBFixture()
        let store = try fixture.open()
        let author = Value.objectID(try fixture.id(store, "Author", 1))
        let rows = try (1...200).map { key in
            try fixture.row(
                store, "Book", key,
                [
                    "author": author, "isbn": .string("\(key)"),
                    "title": .string(String(repeating: "t", count: Int(key) * 11 % 3000)),
                ])
        }
        try fixture.insert(store, [fixture.row(store, "Author", 1, ["name": "A"])] + rows)
        try store.close()
        return (fixture, try Data(contentsOf: fixture.file))
    }

    /// Opens and reads each in another process: its line, or how the process ended over it.
    private func read(
        _ stores: [Data], _ fixture: LMDBFixture
    ) throws -> [(end: WorkerProcess.End, line: String?)] {
        var files: [String] = []
        for (number, bytes) in stores.enumerated() {
            let file = fixture.folder.file("damaged\(number).lmdb")
            try bytes.write(to: file)
            files.append(file.path)
        }
        var results: [(end: WorkerProcess.End, line: String?)] = []
        while results.count < files.count {
            let worker = try WorkerProcess(["read"] + files[results.count...])
            while let line = worker.line() { results.append((.code(0), line)) }
            let end = worker.end()
            if end != .code(0) { results.append((end, nil)) }
        }
        return results
    }

    @Test func `reads an undamaged copy`() throws {
        let (fixture, bytes) = try sample()

        let results = try read([bytes, bytes], fixture)

        #expect(results.map(\.end) == [.code(0), .code(0)])
        #expect(results.map(\.line) == ["read 201", "read 201"])
    }

    @Test func `refuses each truncated file`() throws {
        let (fixture, bytes) = try sample()
        let seed = UInt64.random(in: 0...UInt64.max)
        print("LMDB truncation seed: \(seed)")
        var random = SeededRandom(seed: seed)
        // Whole pages missing, and cuts inside of one.
        let lengths = (0..<100).map { round in
            round % 2 == 0
                ? Int.random(in: 0..<bytes.count / 4096, using: &random) * 4096
                : Int.random(in: 0..<bytes.count, using: &random)
        }

        let results = try read(lengths.map { bytes.prefix($0) }, fixture)

        for (length, result) in zip(lengths, results) {
            #expect(result.end == .code(0), "\(length) of \(bytes.count) bytes")
            #expect(result.line?.hasPrefix("refused") == true, "\(length) of \(bytes.count) bytes")
        }
    }

    @Test func `survives flipped bits, unless LMDB itself falls over them`() throws {
        let (fixture, bytes) = try sample()
        let seed = UInt64.random(in: 0...UInt64.max)
        print("LMDB damage seed: \(seed)")
        var random = SeededRandom(seed: seed)
        let stores = (0..<100).map { _ in
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                damaged[Int.random(in: 0..<bytes.count, using: &random)] ^=
                    1 << UInt8.random(in: 0..<8, using: &random)
            }
            return damaged
        }

        let results = try read(stores, fixture)

        let ends = Dictionary(grouping: results, by: \.end).mapValues(\.count)
        let refused = results.count { $0.line?.hasPrefix("refused") == true }
        print("LMDB damage: \(ends), \(refused) refused")
        // Ours would be a trap (SIGILL, SIGTRAP) or an error that nobody caught (code 1).
        let contained: Set<WorkerProcess.End> = [
            .code(0), .signal(SIGBUS), .signal(SIGSEGV), .signal(SIGABRT),
        ]
        #expect(Set(ends.keys).isSubset(of: contained))
        #expect(ends[.code(0), default: 0] > 80)
        #expect(refused > 40)
    }
}
