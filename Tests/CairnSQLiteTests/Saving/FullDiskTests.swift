import CairnModel
import CairnRows
import CairnStore
import CairnTestSupport
import Foundation
import Testing

@testable import CairnSQLite

/// Stores on a file system of one megabyte. Only root can mount it.
@Suite(.serialized) struct `A SQLite store on a full disk` {
    private static let entities = [EntityDescription("Item", [.attribute("name", .string)])]

    private func insert(_ keys: Range<Int64>, of name: String, in subject: SavingStore) throws {
        let rows = try keys.map { try subject.row("Item", $0, ["name": .string(name)]) }
        let save = try subject.store.beginSave()
        defer { save.rollback() }
        try save.prepare(SaveRequest(inserted: RowBatch(rows)))
        _ = try save.commit()
    }

    private func count(in subject: SavingStore) throws -> Int? {
        try subject.store.snapshot().count(FetchPlan(entity: try subject.entity("Item")))
    }

    @Test(arguments: [300, 5_000, 50_000])
    func `reports that the disk is full, whichever write fails`(byteCount: Int) throws {
        guard let disk = try SmallDisk(for: "SQLite, a full disk") else { return }
        let subject = try SavingStore(Self.entities, in: disk.folder)
        let name = String(repeating: "f", count: byteCount)
        var saved: Int64 = 0

        let error = #expect(throws: StoreError.self) {
            while saved < 5_000 {
                try insert(saved + 1..<saved + 8, of: name, in: subject)
                saved += 7
            }
        }

        switch error {
        case .spaceMissing(.file(subject.url), needed: nil, _)?, .commitOutcomeUnknown?: break
        default: Issue.record("refused with \(String(describing: error))")
        }
        #expect(try count(in: subject) == Int(saved))
        // The log is kept, because there is no space to copy it into the file.
        try? subject.store.close()
        let opened = try SavingStore(subject.store.request)
        #expect(try count(in: opened) == Int(saved))
        try? opened.store.close()
    }

    @Test func `reports missing space for the log's index, and saves again later`() throws {
        guard let disk = try SmallDisk(for: "SQLite, no room for the log's index") else { return }
        let made = try SavingStore(Self.entities, in: disk.folder)
        try insert(1..<3, of: "a", in: made)
        let request = made.store.request
        try made.store.close()
        #expect(disk.fill())

        let error = #expect(throws: StoreError.self) {
            let subject = try SavingStore(request)
            defer { try? subject.store.close() }
            try insert(3..<4, of: "b", in: subject)
        }

        guard case .spaceMissing(.file(made.url), needed: nil, let available)? = error else {
            Issue.record("refused with \(String(describing: error))")
            return
        }
        #expect(available < 65_536)
        #expect("\(error.map(\.description) ?? "")".contains("Free some disk space"))
        disk.empty()
        let subject = try SavingStore(request)
        try insert(3..<4, of: "b", in: subject)
        #expect(try count(in: subject) == 3)
        try subject.store.close()
    }
}
