import CairnEngineKit
import CairnModel
import CairnRows
import CairnStore
import CairnTestSupport
import Foundation
import StoreFileSupport
import Testing

@testable import CairnLMDB

/// Numbers at the limits of each field of the format.
@Suite(.serialized) struct `Extreme numbers in an LMDB store` {
    /// LMDB maps its file and follows the numbers in it (docs/formats/lmdb.md). If a number leads outside of
    /// the file, the access ends the process with a signal. No other failure is allowed: no trap, no
    /// excessive time or memory.
    private static var allowedEnds: Set<WorkerProcess.End> {
        [.signal(SIGBUS), .signal(SIGSEGV), .signal(SIGABRT)]
    }

    /// The approximate number of files to read. `CAIRN_TEST_SCALE=700` reads all of them.
    private static var fileCount: Int { 150 * TestSetting.scale }

    @Test func `are refused or read, with little time and memory, in every page`() throws {
        let folder = try TemporaryFolder()
        let file = folder.file("sample")
        let store = try LMDBStore.open(
            OpenRequest(
                location: .file(file), model: try ManagedObjectModel(SampleModel.entities)))
        try SampleModel.fill(store, count: 30)
        try store.close()

        let asked = try WorkerProcess("extremes", file.path, "\(Int32.max)", "1")
        let total = try #require(asked.line()?.split(separator: " ").last.flatMap { Int($0) })
        // An odd step avoids multiples of the fields' sizes.
        let step = total > Self.fileCount ? total / Self.fileCount | 1 : 1
        var texts: [String: Int] = [:]
        var next = 0
        while next < total {
            let worker = try WorkerProcess("extremes", file.path, "\(next)", "\(step)")
            var begun = ""
            while let line = worker.line() {
                let words = line.split(separator: " ", maxSplits: 2).map(String.init)
                if words[0] == "begin" {
                    begun = line
                    next = try #require(Int(words[1])) + step
                } else if words[0] == "end" {
                    texts[words[2], default: 0] += 1
                    #expect(["refused", "same", "disagrees"].contains(words[2]), "\(begun)")
                    begun = ""
                }
            }
            let end = worker.end()
            if end == .code(0) { break }
            texts["\(end)", default: 0] += 1
            #expect(!begun.isEmpty && Self.allowedEnds.contains(end), "\(begun): \(end)")
        }
        print("LMDB, extreme numbers, every \(step)th of \(total) files: \(texts)")
        #expect(texts["refused", default: 0] > 10)
        #expect(texts["same", default: 0] > 10)
    }

    // MARK: Our own records

    @Test(arguments: [0, -1, .min, .min + 1] as [Int64])
    func `are reported as damage in the key of a row`(_ key: Int64) throws {
        let (fixture, store) = try filled()
        try write(fixture) { tables, transaction in
            let row = try fixture.row(store, "Tag", key)
            try put(row, in: tables, transaction)
        }

        for output in [FetchPlan.Output.rows, .ids] {
            var plan = FetchPlan(entity: try fixture.entity("Tag"))
            plan.output = output
            try expectCorrupt {
                let cursor = try store.snapshot().cursor(plan)
                while try cursor.next(atMost: 10) != nil {}
            }
        }
    }

    @Test(arguments: [0, -1, .min] as [Int64])
    func `are reported as damage in the version of a row`(_ version: Int64) throws {
        let (fixture, store) = try filled()
        try write(fixture) { tables, transaction in
            try put(fixture.row(store, "Tag", 1, version: version), in: tables, transaction)
        }

        let id = try fixture.id(store, "Tag", 1)
        try expectCorrupt { _ = try store.snapshot().rows(for: [id]) }
        try expectCorrupt { _ = try store.snapshot().row(for: id) }
    }

    @Test func `are read in the key and the version of a row if they are valid`() throws {
        let (fixture, store) = try filled()
        try fixture.insert(store, [fixture.row(store, "Tag", .max, version: .max)])

        let tags = FetchPlan(entity: try fixture.entity("Tag"))
        #expect(try fixture.fetch(store.snapshot(), tags).map(\.key) == [1, .max])
        let save = try store.beginSave()
        #expect(throws: StoreError.self) { try save.reserveKeys([tags.entity.number: 1]) }
        save.rollback()
    }

    @Test(arguments: [0, -1, .min] as [Int64])
    func `are reported as damage in the key in an index`(_ key: Int64) throws {
        let (fixture, store) = try filled()
        let age = try #require(fixture.entity("Person").attribute(named: "age"))
        try write(fixture) { tables, transaction in
            let table = try #require(tables.index(of: age))
            let kind = try #require(fixture.layouts.kind(of: age))
            let indexKey = try #require(IndexKey.of(.integer(5), as: kind))
            var value = key.littleEndian
            try indexKey.withUnsafeBytes { bytes in
                try withUnsafeBytes(of: &value) { try transaction.put($0, under: bytes, in: table) }
            }
        }

        var plan = FetchPlan(entity: try fixture.entity("Person"))
        plan.predicate = try fixture.predicate("age == 5", "Person")
        try expectCorrupt { _ = try fixture.fetch(store.snapshot(), plan) }
    }

    @Test(arguments: [0, -1, .min, .max] as [Int64])
    func `are reported as damage in a member, and do not trap in an owner or an order`(
        _ number: Int64
    ) throws {
        let (fixture, store) = try filled()
        let tags = try fixture.relationship("Person", "tags")
        let author = try fixture.id(store, "Author", 2)
        func write(_ key: LinkKey, _ value: LinkValue) throws {
            try self.write(fixture) { tables, transaction in
                guard case .pairs(let pairs, _)? = tables.memberTables(of: tags) else { return }
                try key.withBytes { key in
                    try value.withBytes { try transaction.put($0, under: key, in: pairs.forward) }
                }
            }
        }
        let entity = try fixture.entity("Tag").number
        let stored = StoreEntityNumber(entity.rawValue)
        try write(LinkKey(number, 1), LinkValue(entity: stored))
        try write(LinkKey(2, 5), LinkValue(entity: stored, orderKey: number))
        try write(LinkKey(2, 6), LinkValue(entity: StoreEntityNumber(.max), orderKey: number))
        try write(LinkKey(2, 7), LinkValue(entity: StoreEntityNumber(0)))

        let related = try store.snapshot().relatedIDs(tags, of: [author])
        #expect(related.members.map(\.key) == [5, 6, 7])
        #expect(related.members.allSatisfy { $0.entity == entity })

        if number == .max { return }
        try write(LinkKey(2, number), LinkValue(entity: stored))
        try expectCorrupt { _ = try store.snapshot().relatedIDs(tags, of: [author]) }
    }

    @Test(arguments: [0, -1, .min, .max, .max - 1] as [Int64])
    func `are reported as damage in the next key, or leave no keys`(_ key: Int64) throws {
        let (fixture, store) = try filled()
        let tag = try fixture.entity("Tag").number
        try write(fixture) { tables, transaction in
            try StoreRecord(transaction: transaction, table: tables.metadata)
                .setNextKey(key, of: "Tag")
        }

        let save = try store.beginSave()
        defer { save.rollback() }
        if key == .max - 1 {
            #expect(try save.reserveKeys([tag: 1])[tag] == key..<key + 1)
            return
        }
        let error = #expect(throws: StoreError.self) { try save.reserveKeys([tag: 1]) }
        switch error {
        case .corrupt? where key < 1: break
        case .keysExhausted("Tag")? where key == .max: break
        default: Issue.record("\(String(describing: error))")
        }
    }

    @Test(arguments: ExtremeNumbers.signed)
    func `are reported as damage in the format, or as a later format`(_ format: Int64) throws {
        let (fixture, store) = try filled()
        try setEntry("format", to: MetadataCodec.encode(.integer(format)), fixture)
        try store.close()

        guard format != 1 else { return }
        let error = #expect(throws: StoreError.self) { try fixture.open() }
        switch error {
        case .corrupt? where format < 1: break
        case .unsupported? where format > 1: break
        default: Issue.record("\(String(describing: error))")
        }
    }

    /// A type tag followed by a count of bytes or members that do not exist.
    @Test(arguments: [1, 6, 7, 8] as [UInt8], ExtremeNumbers.unsigned.filter { $0 > 0 })
    func `are reported as damage in a count in the metadata`(_ tag: UInt8, _ count: UInt64) throws {
        let (fixture, store) = try filled()
        let bytes = [tag] + withUnsafeBytes(of: count.littleEndian) { Array($0) }
        try setEntry("values", to: bytes, fixture)

        try expectCorrupt { _ = try store.metadata() }
    }

    // MARK: Loops whose continuation depends on the data read

    @Test func `do not make the check of the free pages endless`() throws {
        let page = 4096
        var meta = [UInt8](repeating: 0, count: FileMeta.byteCount)
        func put<T: FixedWidthInteger>(_ number: T, at offset: Int, in bytes: inout [UInt8]) {
            for index in 0..<MemoryLayout<T>.size {
                bytes[offset + index] = UInt8(truncatingIfNeeded: number >> T(8 * index))
            }
        }
        put(UInt16(8), at: 10, in: &meta)
        put(UInt32(0xBEEF_C0DE), at: 16, in: &meta)
        put(UInt32(1), at: 20, in: &meta)
        put(UInt32(page), at: 40, in: &meta)
        put(UInt64(2), at: 80, in: &meta)
        put(UInt64(9), at: 136, in: &meta)
        // A tree page whose two hundred children are all the page itself.
        var branch = [UInt8](repeating: 0, count: page)
        put(UInt16(1), at: 10, in: &branch)
        put(UInt16(16 + 400), at: 12, in: &branch)
        for index in 0..<200 { put(UInt16(1000), at: 16 + 2 * index, in: &branch) }
        put(UInt16(2), at: 1000, in: &branch)
        var reads = 0

        let pages = TreePages(meta: try #require(FileMeta(meta))) { _, _ in
            reads += 1
            return reads < 100 ? branch : nil
        }

        #expect(!pages.areFree(5...9))
        #expect(reads == 1)
    }

    @Test func `do not cause allocations for lists longer than the file`() throws {
        let (fixture, store) = try filled()
        try store.close()
        let file = try FileCheck(path: fixture.file.path, location: fixture.location)

        #expect(file.read(0, 1 << 40) == nil)
        #expect(file.read(Int.max - 10, 8) == nil)
        #expect(file.read(0, 152)?.count == 152)
    }

    // MARK: Parts

    private func filled() throws -> (LMDBFixture, LMDBStore) {
        let fixture = try LMDBFixture()
        let store = try fixture.open()
        try fixture.insert(
            store,
            [fixture.row(store, "Tag", 1), fixture.row(store, "Author", 2, ["age": 5])])
        return (fixture, store)
    }

    /// Writes data into a store's tables that no save would write.
    private func write(
        _ fixture: LMDBFixture, _ body: (StoreTables, LMDBTransaction) throws -> Void
    ) throws {
        let use = try LMDBRegistry.shared.use(fixture.file, LMDBOptions().environment)
        let transaction = try use.environment.beginWrite(isRelaxed: false)
        defer { transaction.abort() }
        let tables = try StoreTablesBuilder(fixture.request, transaction, makes: .none).build()
        try body(tables, transaction)
        try transaction.commit()
    }

    private func put(
        _ row: Row, in tables: StoreTables, _ transaction: LMDBTransaction
    ) throws {
        let table = try #require(tables.tables(of: row.rootEntity)).rows
        let sealed = Sealed.seal(row.withBytes { Array($0) })
        var key = row.key
        try sealed.withUnsafeBytes { sealed in
            try withUnsafeBytes(of: &key) { try transaction.put(sealed, under: $0, in: table) }
        }
    }

    private func setEntry(_ name: String, to bytes: [UInt8], _ fixture: LMDBFixture) throws {
        try write(fixture) { tables, transaction in
            try Array(name.utf8).withUnsafeBytes { key in
                try Sealed.seal(bytes).withUnsafeBytes {
                    try transaction.put($0, under: key, in: tables.metadata)
                }
            }
        }
    }

    private func expectCorrupt(_ body: () throws -> Void) throws {
        let error = #expect(throws: StoreError.self, performing: body)
        guard case .corrupt? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
