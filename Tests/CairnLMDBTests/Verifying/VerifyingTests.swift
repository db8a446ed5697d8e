import CairnModel
import CairnRows
import CairnStore
import CairnTestSupport
import Testing

@testable import CairnLMDB

@Suite struct `LMDB verifying` {
    /// Returns a store with six people, three books and a tag. Every kind of table has entries.
    private func filled() throws -> (LMDBFixture, LMDBStore) {
        let fixture = try LMDBFixture()
        let store = try fixture.open()
        let author = try fixture.id(store, "Author", 1)
        let reader = try fixture.id(store, "Reader", 2)
        let tag = try fixture.id(store, "Tag", 1)
        var rows = try (1...6).map { key in
            try fixture.row(
                store, key % 2 == 0 ? "Reader" : "Author", key,
                ["age": .integer(key), "name": .string("n\(key)")])
        }
        rows += try (1...3).map { key in
            try fixture.row(
                store, "Book", key,
                [
                    "isbn": .string("i\(key)"), "author": .objectID(author),
                    "borrower": .objectID(reader),
                ])
        }
        rows.append(try fixture.row(store, "Tag", 1))
        let pairs = [
            PairChange(
                .insert, try fixture.relationship("Person", "tags"), owner: author, member: tag,
                orderKey: 1, inverseOrderKey: 1),
            PairChange(
                .insert, try fixture.relationship("Person", "friends"), owner: author,
                member: reader),
        ]
        let transaction = try store.beginSave()
        // Makes the next keys higher than those of the rows.
        _ = try transaction.reserveKeys([
            try fixture.entity("Person").number: 6, try fixture.entity("Book").number: 3,
            try fixture.entity("Tag").number: 1,
        ])
        try transaction.prepare(SaveRequest(inserted: RowBatch(rows), pairs: pairs))
        _ = try transaction.commit()
        return (fixture, store)
    }

    /// Changes a store's tables without the store's knowledge.
    private func damage(
        _ fixture: LMDBFixture, _ body: (StoreTables, LMDBTransaction) throws(StoreError) -> Void
    ) throws {
        let use = try LMDBRegistry.shared.use(fixture.file, LMDBOptions().environment)
        let transaction = try use.environment.beginWrite(isRelaxed: false)
        let tables = try StoreTablesBuilder(fixture.request, transaction, makes: .none).build()
        try body(tables, transaction)
        try transaction.commit()
    }

    @Test func `finds nothing wrong with an intact store`() throws {
        let (fixture, store) = try filled()
        try fixture.save(
            store,
            SaveRequest(
                updated: [try fixture.update(store, "Author", 3, from: 1, ["age": 40])],
                deleted: [RowDeletion(id: try fixture.id(store, "Reader", 2), previousVersion: 1)]))

        // Books 1 to 3 still refer to the deleted reader. The rows contain a dangling reference, which the
        // index of links repeats correctly.
        #expect(try store.findDisagreements() == [])
    }

    /// Entries that follow all others are appended without a search.
    @Test func `finds nothing wrong after entries were added after, between and before others`()
        throws
    {
        let fixture = try LMDBFixture()
        let store = try fixture.open()
        let names: [Value] = [
            .null, "", "\u{0}", "a", "a\u{0}", "abcdefgh", "abcdefghi", "abcdefghij",
            .string(String(repeating: "z", count: 600)),
            .string(String(repeating: "z", count: 601)),
        ]
        // Enough rows to be sorted by number. They are in descending order, and twice precede existing rows.
        for (save, first) in [Int64(1001), 1, 5001, 3001].enumerated() {
            var rows: [Row] = []
            for key in (first..<first + 400).reversed() {
                let number = key * 7919 % 397 - 100
                rows.append(
                    try fixture.row(
                        store, "Reader", key,
                        [
                            "age": number % 5 == 0 ? .null : .integer(number),
                            "name": names[Int(key) % names.count],
                            "height": .double(Double(number + Int64(save) * 1000)),
                        ]))
                let reader = try fixture.id(store, "Reader", first + key * 31 % 400)
                rows.append(
                    try fixture.row(
                        store, "Book", key,
                        ["isbn": .string("i\(key)"), "borrower": .objectID(reader)]))
            }
            _ = try store.beginSave().reserveKeys([
                try fixture.entity("Person").number: 6000, try fixture.entity("Book").number: 6000,
            ])
            try fixture.insert(store, rows)
        }

        #expect(try store.findDisagreements() == [])
        let plan = FetchPlan(
            entity: try fixture.entity("Book"),
            predicate: try fixture.predicate("borrower.name == ''", "Book"))
        #expect(try fixture.fetch(store.snapshot(), plan).count == 160)
    }

    enum Flaw: String, CaseIterable, Sendable {
        case indexEntryMissing, indexEntryOfNoRow, indexEntryUnderAnotherValue
        case uniqueEntryMissing, linkMissing, linkThatNoRowHas, linkOfAnotherEntity
        case pairInOneDirection, pairWithoutMember, symmetricPairInOneDirection
        case damagedRow, nextKeyTooLow
    }

    private func plant(
        _ flaw: Flaw, _ fixture: LMDBFixture, _ tables: StoreTables, _ transaction: LMDBTransaction
    ) throws(StoreError) {
        guard let person = fixture.model.entity(named: "Person"),
            let age = person.attribute(named: "age"), let ages = tables.index(of: age),
            let author = fixture.model.entity(named: "Book")?.relationship(named: "author"),
            let authors = tables.links(of: author),
            let tags = person.relationship(named: "tags"),
            let friends = person.relationship(named: "friends"),
            let rows = tables.tables(of: person.number)?.rows
        else { return }
        func key(_ age: Int64) -> [UInt8] { IndexKey.of(.integer(age), as: .int32) ?? [] }
        func bytes(_ number: Int64) -> [UInt8] {
            withUnsafeBytes(of: number.littleEndian) { Array($0) }
        }
        func link(_ owner: Int64, _ member: Int64) -> [UInt8] {
            LinkKey(owner, member).withBytes { Array($0) }
        }
        func put(_ value: [UInt8], _ key: [UInt8], _ table: LMDBTable) throws(StoreError) {
            try key.withRawBytes { key throws(StoreError) in
                try value.withRawBytes { value throws(StoreError) in
                    try transaction.put(value, under: key, in: table)
                }
            }
        }
        func delete(
            _ key: [UInt8], _ value: [UInt8]? = nil, _ table: LMDBTable
        ) throws(StoreError) {
            try key.withRawBytes { key throws(StoreError) in
                if let value {
                    _ = try value.withRawBytes { value throws(StoreError) in
                        try transaction.delete(key, value: value, in: table)
                    }
                } else {
                    try transaction.delete(key, in: table)
                }
            }
        }
        switch flaw {
        case .indexEntryMissing: try delete(key(3), bytes(3), ages)
        case .indexEntryOfNoRow: try put(bytes(99), key(3), ages)
        case .indexEntryUnderAnotherValue:
            try delete(key(3), bytes(3), ages)
            try put(bytes(3), key(4), ages)
        case .uniqueEntryMissing:
            var cursor = try transaction.cursor(on: tables.constraints[0].table)
            _ = try cursor.go(.first)
            try cursor.deleteCurrent()
        case .linkMissing: try delete(link(1, 2), nil, authors)
        case .linkThatNoRowHas: try put([1, 0], link(5, 2), authors)
        case .linkOfAnotherEntity: try put([9, 0], link(1, 2), authors)
        case .pairInOneDirection:
            guard case .pairs(let pairs, _)? = tables.memberTables(of: tags) else { return }
            try delete(link(1, 1), nil, pairs.forward)
        case .pairWithoutMember:
            guard case .pairs(let pairs, _)? = tables.memberTables(of: friends) else { return }
            try put([1, 0], link(1, 77), pairs.forward)
            try put([1, 0], link(77, 1), pairs.forward)
        case .symmetricPairInOneDirection:
            guard case .pairs(let pairs, _)? = tables.memberTables(of: friends) else { return }
            try delete(link(2, 1), nil, pairs.forward)
        case .damagedRow:
            guard var row = try transaction.get(3, in: rows).map(Array.init) else { return }
            row[row.count - 1] ^= 1
            try put(row, bytes(3), rows)
        case .nextKeyTooLow:
            try StoreRecord(transaction: transaction, table: tables.metadata)
                .setNextKey(6, of: "Person")
        }
    }

    private static let locations: [Flaw: String] = [
        .indexEntryMissing: "index/Person/age", .indexEntryOfNoRow: "index/Person/age",
        .indexEntryUnderAnotherValue: "index/Person/age", .uniqueEntryMissing: "unique/Book/isbn",
        .linkMissing: "links/Book/author", .linkThatNoRowHas: "links/Book/author",
        .linkOfAnotherEntity: "links/Book/author", .pairInOneDirection: "tags",
        .pairWithoutMember: "pairs/Person/friends",
        .symmetricPairInOneDirection: "pairs/Person/friends", .damagedRow: "rows/Person",
        .nextKeyTooLow: "cairn",
    ]

    @Test(arguments: Flaw.allCases)
    func `finds planted errors and names their location`(_ flaw: Flaw) throws {
        let (fixture, store) = try filled()
        try damage(fixture) { tables, transaction throws(StoreError) in
            try plant(flaw, fixture, tables, transaction)
        }

        let found = try store.findDisagreements()

        let location = try #require(Self.locations[flaw])
        #expect(!found.isEmpty)
        #expect(found.contains { $0.location.contains(location) }, "\(found)")
    }
}
