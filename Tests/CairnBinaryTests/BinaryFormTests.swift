import CairnModel
import CairnRows
import CairnStore
import CairnTestSupport
import Foundation
import StoreFileSupport
import Testing

/// Rows are read in groups. These tests examine the boundaries between groups.
@Suite struct `Binary form` {
    private static let count = 2100
    private let counters: CounterStore
    private let rowByteCount: Int

    init() throws {
        let counters = try CounterStore("Binary")
        let store = try counters.open()
        let rows = try (1...Int64(Self.count)).map { try counters.row(store, $0, value: $0) }
        self.counters = counters
        rowByteCount = rows[0].byteCount
        try counters.save(store, SaveRequest(inserted: RowBatch(rows)))
        try store.close()
    }

    /// Overwrites a number in a row of the file, and recomputes the file's checksum.
    private func overwrite(_ number: Int64, at offset: Int, ofRow row: Int) throws {
        var bytes = Array(try Data(contentsOf: counters.file))
        let rows = bytes.count - 8 - Self.count * rowByteCount
        bytes.withUnsafeMutableBytes { bytes in
            bytes.storeBytes(
                of: number.littleEndian, toByteOffset: rows + row * rowByteCount + offset,
                as: Int64.self)
            let seal = Checksum.of(UnsafeRawBufferPointer(rebasing: bytes.dropLast(8)))
            bytes.storeBytes(
                of: seal.littleEndian, toByteOffset: bytes.count - 8, as: UInt64.self)
        }
        try Data(bytes).write(to: counters.file)
    }

    @Test func `returns thousands of rows in their order`() throws {
        let store = try counters.open()

        let rows = try counters.rows(store)

        #expect(rows.map(\.key) == Array(1...Int64(Self.count)))
        #expect(try rows.map(counters.value) == Array(1...Int64(Self.count)))
    }

    @Test(arguments: [1, 1023, 1024, 1025, 2048, 2099])
    func `refuses a key that is not above the previous one`(_ row: Int) throws {
        try overwrite(Int64(row), at: 8, ofRow: row)

        let error = #expect(throws: StoreError.self) { try counters.open() }

        guard case .corrupt(_, let position, let detail)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(position.hasPrefix("the section at byte "))
        #expect(
            detail
                == "Counter \(row): its key is not greater than \(row), the key of the previous row"
        )
    }

    @Test(arguments: [0, 1024])
    func `refuses a version that no save assigns`(_ row: Int) throws {
        try overwrite(0, at: 16, ofRow: row)

        let error = #expect(throws: StoreError.self) { try counters.open() }

        guard case .corrupt(_, _, let detail)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(detail == "Counter \(row + 1): its version is not greater than 0")
    }
}
