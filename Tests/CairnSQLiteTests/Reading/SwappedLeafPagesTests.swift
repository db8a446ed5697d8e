import CairnModel
import CairnRows
import CairnStore
import CairnTestSupport
import Foundation
import Testing

@testable import CairnSQLite

/// Valid pages in a wrong order, which SQLite reads without an error.
@Suite struct `Swapped pages of a SQLite store` {
    private static let pageByteCount = 4096
    private static let rowCount = 120

    /// Adjacent keys are read as ranges, distant keys row by row.
    @Test(arguments: [FetchPlan.Output.rows, .ids], [1, 50] as [Int64])
    func `are refused or read in limited time`(
        _ output: FetchPlan.Output, _ distance: Int64
    ) throws {
        let folder = try TemporaryFolder()
        let subject = try SavingStore(
            [EntityDescription("Item", [.attribute("name", .string)])], in: folder)
        let name = Value.string(String(repeating: "r", count: 900))
        let rows = try (1...Int64(Self.rowCount)).map {
            try subject.row("Item", $0 * distance, ["name": name])
        }
        try subject.save(SaveRequest(inserted: RowBatch(rows)))
        try subject.store.close()
        let sound = try [UInt8](Data(contentsOf: subject.url))
        let leaves = leaves(of: sound)
        var plan = FetchPlan(entity: try subject.entity("Item"))
        plan.output = output

        var refusals: [String] = []
        for (first, count) in [1, 3, 7, 50].enumerated() {
            for index in stride(from: first, to: leaves.count - 1, by: 4) {
                let damaged = swapped(sound, leaves[index], leaves[index + 1])
                try Data(damaged).write(to: subject.url)
                let end = try read(plan, subject.store.request, atMost: count)
                if let end { refusals.append(end) }
            }
        }

        #expect(leaves.count > 20)
        #expect(refusals.allSatisfy { $0.contains("not in the order of their keys") })
        #expect(!refusals.isEmpty)
    }

    /// Reads all rows. Returns the error that ends the reading, if any.
    private func read(
        _ plan: FetchPlan, _ request: OpenRequest, atMost count: Int
    ) throws -> String? {
        let store = try SQLiteStore.open(request)
        defer { try? store.close() }
        let cursor = try store.snapshot().cursor(plan)
        var read = 0
        do throws(StoreError) {
            while let batch = try cursor.next(atMost: count), read <= Self.rowCount {
                read += batch.count
            }
        } catch {
            return error.description
        }
        #expect(read <= Self.rowCount, "it reads on and on")
        return nil
    }

    /// Returns the offsets of the pages that contain rows.
    private func leaves(of bytes: [UInt8]) -> [Int] {
        let text = Data(String(repeating: "r", count: 900).utf8)
        return stride(from: 0, to: bytes.count, by: Self.pageByteCount).filter { start in
            // In sqlite.org/fileformat2.html, 13 marks a leaf page of a table.
            bytes[start] == 13
                && Data(bytes[start..<start + Self.pageByteCount]).range(of: text) != nil
        }
    }

    private func swapped(_ bytes: [UInt8], _ one: Int, _ two: Int) -> [UInt8] {
        var bytes = bytes
        for offset in 0..<Self.pageByteCount { bytes.swapAt(one + offset, two + offset) }
        return bytes
    }
}
