import CairnLMDB
import CairnModel
import CairnRows
import CairnStore
import Foundation
import Testing

@Suite struct `LMDB saving` {
    @Test func `shows a save only to later snapshots`() throws {
        let fixture = try LMDBFixture()
        let store = try fixture.open()
        let before = try store.snapshot()

        let outcome = try fixture.insert(store, [fixture.row(store, "Tag", 1)])

        let plan = FetchPlan(entity: try fixture.entity("Tag"))
        let after = try store.snapshot()
        #expect(try before.count(plan) == 0)
        #expect(try after.count(plan) == 1)
        #expect(outcome.generation == after.generation)
        #expect(before.generation < after.generation)
    }

    @Test func `makes nothing visible before or without the commit`() throws {
        let fixture = try LMDBFixture()
        let store = try fixture.open()
        let plan = FetchPlan(entity: try fixture.entity("Tag"))
        let transaction = try store.beginSave()
        try transaction.prepare(
            SaveRequest(inserted: RowBatch([fixture.row(store, "Tag", 1)])))

        #expect(try store.snapshot().count(plan) == 0)
        transaction.rollback()
        transaction.rollback()

        #expect(try store.snapshot().count(plan) == 0)
    }

    @Test func `rolls back when it is released`() throws {
        let fixture = try LMDBFixture()
        let store = try fixture.open(options: [.timeout: 0])
        do {
            let transaction = try store.beginSave()
            try transaction.prepare(
                SaveRequest(inserted: RowBatch([fixture.row(store, "Tag", 1)])))
        }

        let next = try store.beginSave()
        next.rollback()

        #expect(try store.snapshot().count(FetchPlan(entity: fixture.entity("Tag"))) == 0)
    }

    @Test func `gives an empty save the current generation`() throws {
        let fixture = try LMDBFixture()
        let store = try fixture.open()

        let outcome = try fixture.save(store, SaveRequest())

        #expect(try store.snapshot().generation == outcome.generation)
        let next = try fixture.insert(store, [fixture.row(store, "Tag", 1)])
        #expect(next.generation > outcome.generation)
    }

    @Test func `refuses steps out of order`() throws {
        let fixture = try LMDBFixture()
        let store = try fixture.open()
        let transaction = try store.beginSave()

        #expect(throws: StoreError.self) { _ = try transaction.commit() }
        try transaction.prepare(SaveRequest())
        #expect(throws: StoreError.self) { try transaction.prepare(SaveRequest()) }
        transaction.rollback()
        #expect(throws: StoreError.self) { _ = try transaction.reserveKeys([.init(1): 1]) }
    }

    // MARK: Keys

    @Test func `never assigns a key twice, even after a rollback and reopening`()
        throws
    {
        let fixture = try LMDBFixture()
        let author = try fixture.entity("Author").number
        var store = try fixture.open()
        var given: [Range<Int64>] = []

        for round in 0..<6 {
            let transaction = try store.beginSave()
            let keys = try transaction.reserveKeys([author: 3])
            given.append(try #require(keys[author]))
            if round % 2 == 0 {
                transaction.rollback()
            } else {
                try transaction.prepare(SaveRequest())
                _ = try transaction.commit()
            }
            if round % 3 == 2 {
                try store.close()
                store = try fixture.open()
            }
        }

        #expect(given.map(\.lowerBound) == [1, 4, 7, 10, 13, 16])
        #expect(given.allSatisfy { $0.count == 3 })
    }

    @Test func `assigns keys above those of all rows in the root's hierarchy`() throws {
        let fixture = try LMDBFixture()
        let store = try fixture.open()
        try fixture.insert(store, [fixture.row(store, "Author", 70)])
        try fixture.save(
            store,
            SaveRequest(deleted: [
                RowDeletion(id: fixture.id(store, "Author", 70), previousVersion: 1)
            ]))
        let (reader, tag) = (try fixture.entity("Reader").number, try fixture.entity("Tag").number)

        let transaction = try store.beginSave()
        let keys = try transaction.reserveKeys([reader: 1, tag: 2])
        transaction.rollback()

        #expect(keys == [reader: 71..<72, tag: 1..<3])
    }

    @Test func `reports when no key is left`() throws {
        let fixture = try LMDBFixture()
        let store = try fixture.open()
        try fixture.insert(store, [fixture.row(store, "Tag", .max - 1)])
        let tag = try fixture.entity("Tag").number

        let transaction = try store.beginSave()
        let error = #expect(throws: StoreError.self) { _ = try transaction.reserveKeys([tag: 2]) }
        transaction.rollback()

        guard case .keysExhausted("Tag")? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    // MARK: Conflicts

    @Test func `lists every row that has changed since it was read, with the stored row`() throws {
        let fixture = try LMDBFixture()
        let store = try fixture.open()
        try fixture.insert(store, (1...4).map { try fixture.row(store, "Tag", $0) })
        try fixture.save(
            store,
            SaveRequest(updated: [fixture.update(store, "Tag", 1, from: 1, ["label": "new"])]))
        let stale = SaveRequest(
            inserted: RowBatch([
                try fixture.row(store, "Tag", 3), try fixture.row(store, "Tag", 9),
            ]),
            updated: [
                try fixture.update(store, "Tag", 1, from: 1),
                try fixture.update(store, "Tag", 2, from: 1),
                try fixture.update(store, "Tag", 8, from: 1),
            ],
            deleted: [
                RowDeletion(id: try fixture.id(store, "Tag", 4), previousVersion: 7),
                RowDeletion(id: try fixture.id(store, "Tag", 5), previousVersion: 1),
            ])

        let error = #expect(throws: StoreError.self) { try fixture.save(store, stale) }

        guard case .rowConflicts(let conflicts)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(conflicts.map(\.id.key) == [1, 8, 4, 5, 3])
        #expect(conflicts.map(\.expectedVersion) == [1, 1, 7, 1, 0])
        #expect(conflicts.map { $0.stored?.version } == [2, nil, 1, nil, 1])
        #expect(try store.snapshot().rows(for: [fixture.id(store, "Tag", 9)]).isEmpty)
    }

    @Test func `lists every unique value that would occur twice`() throws {
        let fixture = try LMDBFixture()
        let store = try fixture.open()
        try fixture.insert(store, [fixture.row(store, "Book", 1, ["isbn": "a"])])
        let rows = try [(2, "a"), (3, "b"), (4, "b"), (5, "c")].map { key, isbn in
            try fixture.row(store, "Book", Int64(key), ["isbn": .string(isbn)])
        }

        let error = #expect(throws: StoreError.self) { try fixture.insert(store, rows) }

        guard case .uniquenessConflicts(let conflicts)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(conflicts.map(\.entity) == ["Book", "Book"])
        #expect(conflicts.map(\.constraint) == [["isbn"], ["isbn"]])
        #expect(conflicts.map { $0.requested.map(\.key) } == [[2], [3, 4]])
        #expect(conflicts.map { $0.stored?.key } == [1, nil])
    }

    @Test func `allows swapping unique values in one save, and repeated nil`() throws {
        let fixture = try LMDBFixture()
        let store = try fixture.open()
        let long = String(repeating: "x", count: 2000)
        try fixture.insert(
            store,
            [
                fixture.row(store, "Book", 1, ["isbn": .string(long + "1")]),
                fixture.row(store, "Book", 2, ["isbn": .string(long + "2")]),
                fixture.row(store, "Book", 3), fixture.row(store, "Book", 4),
            ])

        try fixture.save(
            store,
            SaveRequest(updated: [
                fixture.update(store, "Book", 1, from: 1, ["isbn": .string(long + "2")]),
                fixture.update(store, "Book", 2, from: 1, ["isbn": .string(long + "1")]),
            ]))

        #expect(throws: StoreError.self) {
            try fixture.insert(
                store, [fixture.row(store, "Book", 5, ["isbn": .string(long + "1")])])
        }
        try fixture.save(
            store,
            SaveRequest(
                inserted: RowBatch([fixture.row(store, "Book", 5, ["isbn": .string(long + "1")])]),
                deleted: [RowDeletion(id: fixture.id(store, "Book", 2), previousVersion: 2)]))
    }

    @Test func `refuses a row of an abstract entity`() throws {
        let fixture = try LMDBFixture()
        let store = try fixture.open()

        #expect(throws: StoreError.self) {
            try fixture.insert(store, [fixture.row(store, "Person", 1)])
        }
    }

    // MARK: The map

    @Test func `grows the map in the middle of a save while a snapshot is held`() throws {
        let fixture = try LMDBFixture()
        let store = try fixture.open(options: [.mapByteCount: 1_048_576])
        try fixture.insert(store, [fixture.row(store, "Tag", 1, ["label": "first"])])
        let plan = FetchPlan(entity: try fixture.entity("Tag"))
        let held = try store.snapshot()
        let cursor = try held.cursor(plan)
        let label = String(repeating: "m", count: 100_000)

        for save in 0..<4 {
            let rows = try (0..<50).map {
                try fixture.row(store, "Tag", Int64(2 + save * 50 + $0), ["label": .string(label)])
            }
            try fixture.insert(store, rows)
        }

        #expect(try held.count(plan) == 1)
        #expect(try cursor.next(atMost: 10)?.count == 1)
        #expect(try fixture.fetch(store.snapshot(), plan).count == 201)
        #expect(
            try FileManager.default.attributesOfItem(atPath: fixture.file.path)[.size]
                as? Int ?? 0 > 20_000_000)
    }

    @Test func `grows the map for a group of saves, and keeps all of them`() throws {
        let fixture = try LMDBFixture()
        let store = try fixture.open(options: [.mapByteCount: 1_048_576])
        let label = String(repeating: "m", count: 100_000)
        let save = try store.beginSave()
        defer { save.rollback() }

        for key in Int64(1)...30 {
            let row = try fixture.row(store, "Tag", key, ["label": .string(label)])
            _ = try save.prepareNext(SaveRequest(inserted: RowBatch([row])))
        }
        let taken = try fixture.row(store, "Tag", 7, ["label": "taken"])
        #expect(throws: StoreError.self) {
            _ = try save.prepareNext(SaveRequest(inserted: RowBatch([taken])))
        }
        _ = try save.commit()

        let rows = try fixture.fetch(
            store.snapshot(), FetchPlan(entity: try fixture.entity("Tag")))
        #expect(rows.count == 30)
        #expect(try store.findDisagreements().isEmpty)
    }

    /// Saves rows in parts, and returns the number of attempts, each of which found a larger map.
    private func attempts(
        _ fixture: LMDBFixture, _ store: LMDBStore, expecting byteCount: Int
    ) throws -> Int {
        let label = String(repeating: "m", count: 100_000)
        for attempt in 1... {
            let save = try store.beginSave()
            defer { save.rollback() }
            do {
                for key in Int64(1)...30 {
                    let row = try fixture.row(store, "Tag", key, ["label": .string(label)])
                    var request = SaveRequest(inserted: RowBatch([row]))
                    request.part = SavePart(isFirst: key == 1, remainingByteCount: byteCount)
                    _ = try save.prepareNext(request)
                }
                _ = try save.commit()
                return attempt
            } catch StoreError.engineFailure(let failure) where failure.isTransient {
                #expect(throws: StoreError.self) { try save.commit() }
            }
        }
        return 0
    }

    @Test(arguments: [(0, 2...5), (3_000_000, 1...1)])
    func `makes room for the parts of a save, or asks for all of them again`(
        _ byteCount: Int, _ expected: ClosedRange<Int>
    ) throws {
        let fixture = try LMDBFixture()
        let store = try fixture.open(options: [.mapByteCount: 1_048_576])

        let attempts = try attempts(fixture, store, expecting: byteCount)

        #expect(expected.contains(attempts))
        let rows = try fixture.fetch(
            store.snapshot(), FetchPlan(entity: try fixture.entity("Tag")))
        #expect(rows.count == 30)
        #expect(try store.findDisagreements().isEmpty)
    }
}
