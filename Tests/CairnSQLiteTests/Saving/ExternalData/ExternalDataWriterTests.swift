import CairnModel
import CairnRows
import CairnStore
import CairnTestSupport
import Foundation
import Testing

@testable import CairnSQLite

@Suite struct `Files of large values` {
    private let folder: TemporaryFolder
    private let subject: SavingStore

    init() throws {
        folder = try TemporaryFolder()
        var photo = AttributeDescription("photo", .binary)
        photo.allowsExternalBinaryDataStorage = true
        subject = try SavingStore(
            [EntityDescription("Box", [.attribute("name", .string), .attribute(photo)])],
            in: folder)
    }

    private static func photo(_ number: Int, byteCount: Int = 200_000) -> Value {
        .binary(Data(repeating: UInt8(number), count: byteCount))
    }

    private func fileCount() throws -> Int {
        try FileManager.default.contentsOfDirectory(
            atPath: folder.file(".store_SUPPORT/_EXTERNAL_DATA").path
        ).count
    }

    /// Returns the box's row as another handle of the store reads it now.
    private func row(of key: Int64) throws -> Row {
        let batch = try subject.store.snapshot().rows(for: [try subject.id("Box", key)])
        return try #require(batch.rows.first { _ in true })
    }

    private func photo(of key: Int64) throws -> Data {
        let snapshot = try subject.store.snapshot()
        let batch = try snapshot.rows(for: [try subject.id("Box", key)])
        let row = try #require(batch.rows.first { _ in true })
        let layout = subject.store.request.layouts.layout(of: try subject.entity("Box"))
        switch row.externalBinary(try #require(layout.slot(named: "photo"))) {
        case .inline(let data): return data
        case .reference(let reference): return try snapshot.externalData(reference)
        }
    }

    @Test func `are removed when the store is closed, if no row names them`() throws {
        try subject.insert(try subject.row("Box", 1, ["photo": Self.photo(1)]))
        try subject.save(
            SaveRequest(updated: [
                try subject.update("Box", 1, from: 1, ["photo": Self.photo(2)])
            ]))

        try subject.store.close()

        #expect(try fileCount() == 1)
    }

    @Test func `that no row names are removed before they exceed 16 MB by much`() throws {
        try subject.insert(try subject.row("Box", 1, ["photo": Self.photo(1, byteCount: 3 << 20)]))
        var most = 0
        for version in 1...20 as ClosedRange<Int64> {
            try subject.save(
                SaveRequest(updated: [
                    try subject.update(
                        "Box", 1, from: version, ["photo": Self.photo(2, byteCount: 3 << 20)])
                ]))
            most = max(most, try fileCount())
        }

        #expect(most <= 7)
    }

    @Test func `stay while another handle shows an older state, and go when it does not`() throws {
        try subject.insert(try subject.row("Box", 1, ["photo": Self.photo(1)]))
        let other = try SQLiteStore.open(subject.store.request)
        let held = try other.snapshot()
        try subject.save(
            SaveRequest(updated: [
                try subject.update("Box", 1, from: 1, ["photo": Self.photo(2, byteCount: 17 << 20)])
            ]))
        try subject.save(
            SaveRequest(updated: [
                try subject.update("Box", 1, from: 2, ["photo": Self.photo(3)])
            ]))

        let during = try fileCount()
        held.end()
        try subject.save(
            SaveRequest(updated: [
                try subject.update("Box", 1, from: 3, ["name": .string("later")])
            ]))

        #expect(during == 3)
        #expect(try fileCount() == 1)
        try other.close()
    }

    @Test func `are kept for a row that refers to a value which another save replaced`() throws {
        try subject.insert(try subject.row("Box", 1, ["photo": Self.photo(1)]))
        let stale = try row(of: 1)
        try subject.save(
            SaveRequest(updated: [
                try subject.update("Box", 1, from: 1, ["photo": Self.photo(2)])
            ]))
        let layout = subject.store.request.layouts.layout(of: try subject.entity("Box"))
        let pixels = try #require(layout.slot(named: "photo"))
        var writer = RowWriter(store: subject.store.number)
        writer.begin(layout, key: 1, version: 3)
        for slot in layout.slots { try writer.set(slot, from: stale) }
        writer.endRow()
        let row = try #require(writer.takeBatch().rows.first { _ in true })
        var slots = SlotSet()
        slots.insert(Int(pixels.index))

        let outcome = try subject.save(
            SaveRequest(updated: [RowUpdate(row: row, previousVersion: 2, changedSlots: slots)]))
        let bytes = try photo(of: 1)
        let recomputed = try #require(outcome.recomputed.rows.first { _ in true })
        try subject.store.close()

        #expect(bytes.first == 1)
        #expect(recomputed.externalBinary(pixels) != stale.externalBinary(pixels))
        #expect(try fileCount() == 1)
    }

    /// Creates a file as a save leaves it that was killed before its commit.
    private func leaveFile() throws -> URL {
        let file = folder.file(".store_SUPPORT/_EXTERNAL_DATA/\(UUID().uuidString)")
        try Data("left".utf8).write(to: file)
        return file
    }

    @Test func `that killed saves have left are removed beside other users of the store`() throws {
        try subject.insert(try subject.row("Box", 1, ["photo": Self.photo(1)]))
        let left = try leaveFile()
        let other = try SavingStore(subject.store.request)

        let removed = try subject.store.removeUnnamedFiles()

        #expect(removed.map(\.lastPathComponent) == [left.lastPathComponent])
        #expect(try fileCount() == 1)
        #expect(try photo(of: 1).count == 200_000)
        #expect(try other.store.unnamedFiles() == [])
    }

    @Test func `of a save that is under way are not removed`() throws {
        var request = subject.store.request
        request.options[.timeout] = .real(0.02)
        let other = try SavingStore(request)
        let save = try subject.store.beginSave()
        try save.prepare(
            SaveRequest(
                inserted: RowBatch([try subject.row("Box", 1, ["photo": Self.photo(1)])])))

        #expect(throws: StoreError.self) { try other.store.removeUnnamedFiles() }
        _ = try save.commit()
        let removed = try other.store.removeUnnamedFiles()

        #expect(removed == [])
        #expect(try photo(of: 1).count == 200_000)
    }

    @Test func `that a reader of an older state needs are removed when it has ended`() throws {
        try subject.insert(try subject.row("Box", 1, ["photo": Self.photo(1)]))
        let other = try SavingStore(subject.store.request)
        let snapshot = try other.store.snapshot()
        let old = try snapshot.rows(for: [try other.id("Box", 1)])[row: 0]
        try subject.save(
            SaveRequest(updated: [
                try subject.update("Box", 1, from: 1, ["photo": Self.photo(2)])
            ]))

        let early = try subject.store.removeUnnamedFiles()
        let layout = other.store.request.layouts.layout(of: try other.entity("Box"))
        guard
            case .reference(let reference) = old.externalBinary(
                try #require(layout.slot(named: "photo")))
        else {
            Issue.record("the value is stored inline")
            return
        }
        let stillThere = try snapshot.externalData(reference)
        snapshot.end()
        _ = try subject.store.removeUnnamedFiles()

        #expect(early == [])
        #expect(stillThere == Data(repeating: 1, count: 200_000))
        #expect(try fileCount() == 1)
    }

    @Test func `in a folder that another store uses are not removed`() throws {
        try subject.insert(try subject.row("Box", 1, ["photo": Self.photo(1)]))
        _ = try leaveFile()
        let neighbour = subject.url.deletingPathExtension().appendingPathExtension("other")
        var request = subject.store.request
        request.location = .file(neighbour)
        let other = try SavingStore(request)

        let removed = try subject.store.removeUnnamedFiles()

        #expect(removed == [])
        #expect(try fileCount() == 2)
        try other.store.close()
    }
}
