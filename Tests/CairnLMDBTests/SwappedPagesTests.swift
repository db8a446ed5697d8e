import CairnLMDB
import CairnModel
import CairnStore
import Foundation
import Testing

/// Pages that are sound, in a wrong order: no checksum of a row shows it.
@Suite struct `Swapped pages of an LMDB store` {
    private static let pageByteCount = 4096
    /// Flags of a page that holds rows or index entries themselves.
    private static let leaf: UInt8 = 0x02

    @Test(arguments: [FetchPlan.Output.rows, .ids])
    func `are refused, and not read for ever`(_ output: FetchPlan.Output) throws {
        let fixture = try LMDBFixture()
        let label = Value.string(String(repeating: "r", count: 900))
        let store = try fixture.open()
        let rows = try (Int64(1)...60).map { try fixture.row(store, "Tag", $0, ["label": label]) }
        try fixture.insert(store, rows)
        try store.close()
        let leaves = try reverseRowPages(of: fixture.file)

        let damaged = try fixture.open()
        var plan = FetchPlan(entity: try fixture.entity("Tag"))
        plan.output = output
        let error = #expect(throws: StoreError.self) {
            let cursor = try damaged.snapshot().cursor(plan)
            while try cursor.next(atMost: 7) != nil {}
        }

        #expect(leaves > 10)
        #expect("\(String(describing: error))".contains("does not stand behind the row"))
    }

    /// Puts the content of the pages that hold rows in the opposite order; returns how many.
    private func reverseRowPages(of file: URL) throws -> Int {
        var bytes = try [UInt8](Data(contentsOf: file))
        let text = Array(String(repeating: "r", count: 900).utf8)
        let starts = stride(from: 0, to: bytes.count, by: Self.pageByteCount).filter { start in
            bytes[start + 10] == Self.leaf
                && Data(bytes[start..<start + Self.pageByteCount]).range(of: Data(text)) != nil
        }
        let contents = starts.map { Array(bytes[$0 + 8..<$0 + Self.pageByteCount]) }
        for (start, content) in zip(starts, contents.reversed()) {
            bytes.replaceSubrange(start + 8..<start + Self.pageByteCount, with: content)
        }
        try Data(bytes).write(to: file)
        return starts.count
    }
}
