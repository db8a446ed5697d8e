import CairnLMDB
import CairnModel
import CairnStore
import Foundation
import Testing

/// Valid pages in a wrong order, which the checksums of rows cannot detect.
@Suite struct `Swapped pages of an LMDB store` {
    private static let pageByteCount = 4096
    /// The flag of a page that contains rows or index entries.
    private static let leaf: UInt8 = 0x02

    @Test(arguments: [FetchPlan.Output.rows, .ids])
    func `are refused in limited time`(_ output: FetchPlan.Output) throws {
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
        #expect("\(String(describing: error))".contains("does not come after the previous entry"))
    }

    @Test func `of an index are refused wherever the index is read`() throws {
        let fixture = try LMDBFixture()
        let text = String(repeating: "i", count: 300)
        let store = try fixture.open()
        let people = try (Int64(1)...80).map { key in
            try fixture.row(store, "Author", key, ["name": .string("\(text)\(1000 + key)")])
        }
        try fixture.insert(store, people)
        try store.close()
        #expect(try reverseRowPages(of: fixture.file, containing: text) > 10)

        let damaged = try fixture.open()
        var plan = FetchPlan(entity: try fixture.entity("Person"))
        plan.predicate = try fixture.predicate("name >= 'i'", "Person")
        try expectDamage("index/Person/name") { _ = try fixture.fetch(damaged.snapshot(), plan) }
        try expectDamage("index/Person/name") { _ = try damaged.snapshot().count(plan) }
        plan.limit = 70
        let name = try #require(fixture.entity("Person").attribute(named: "name"))
        for isAscending in [true, false] {
            let path = BoundPath(leaf: .attribute(name))
            plan.sorts = [BoundSort(path, isAscending: isAscending)]
            try expectDamage("index/Person/name") {
                _ = try fixture.fetch(damaged.snapshot(), plan)
            }
        }
    }

    @Test func `of links are refused when members are read and when they are counted`() throws {
        let fixture = try LMDBFixture()
        let store = try fixture.open()
        // These bytes occur as an owner in the keys of links, and in no other table.
        let text = "ABCDEFGH"
        let key = text.utf8.reduce(Int64(0)) { $0 << 8 | Int64($1) }
        let reader = Value.objectID(try fixture.id(store, "Reader", key))
        let books = try (Int64(1)...2000).map { number in
            try fixture.row(store, "Book", number, ["borrower": reader])
        }
        try fixture.insert(store, [fixture.row(store, "Reader", key)] + books)
        try store.close()
        #expect(try reverseRowPages(of: fixture.file, containing: text) > 5)

        let damaged = try fixture.open()
        let loans = try fixture.relationship("Reader", "loans")
        let owner = try fixture.id(damaged, "Reader", key)
        var plan = FetchPlan(entity: try fixture.entity("Book"))
        plan.predicate = try FetchPredicate(format: "borrower == %@", owner)
            .bound(to: fixture.entity("Book"))
        try expectDamage("links/Book/borrower") {
            _ = try damaged.snapshot().relatedIDs(loans, of: [owner])
        }
        try expectDamage("links/Book/borrower") { _ = try damaged.snapshot().count(plan) }
        try expectDamage("links/Book/borrower") { _ = try fixture.fetch(damaged.snapshot(), plan) }
    }

    private func expectDamage(_ location: String, _ body: () throws -> Void) throws {
        let error = #expect(throws: StoreError.self, performing: body)
        guard case .corrupt(_, let found, _)? = error, found.contains(location) else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    /// Reverses the order of the contents of the pages that contain a text. Returns the number of these
    /// pages.
    private func reverseRowPages(
        of file: URL, containing text: String = String(repeating: "r", count: 900)
    ) throws -> Int {
        var bytes = try [UInt8](Data(contentsOf: file))
        let starts = stride(from: 0, to: bytes.count, by: Self.pageByteCount).filter { start in
            bytes[start + 10] == Self.leaf
                && Data(bytes[start..<start + Self.pageByteCount]).range(of: Data(text.utf8)) != nil
        }
        let contents = starts.map { Array(bytes[$0 + 8..<$0 + Self.pageByteCount]) }
        for (start, content) in zip(starts, contents.reversed()) {
            bytes.replaceSubrange(start + 8..<start + Self.pageByteCount, with: content)
        }
        try Data(bytes).write(to: file)
        return starts.count
    }
}
