import CairnEngineKit
import CairnModel
import CairnRows
import CairnStore
import CairnTestSupport
import Foundation
import Testing

@testable import CairnSQLite

@Suite struct `SQLite snapshot` {
    @Test func `sorts and pages as the evaluator's sorter does`() throws {
        let seed = SeededRandom.seed(of: "random sorts")
        let store = try EdgeCaseStore.make(seed: seed)
        let (snapshot, thing) = (try store.snapshot(), store.entity("Thing"))
        let rows = try snapshot.all(FetchPlan(entity: thing)).batch
        let resolver = SnapshotResolver(snapshot, layouts: store.layouts)
        let keys = [
            "name", "small", "large", "flag", "real", "short", "price", "day", "uuid", "uri",
            "self",
            "owner", "owner.name", "parent.owner.age", "tags.@count", "tags.weight.@max",
        ]
        var random = SeededRandom(seed: seed)

        for _ in 0..<200 {
            let sorts = try (0..<1 + Int(random.next() % 3)).map { _ in
                BoundSort(
                    try BoundPath(
                        keyPath: keys[Int(random.next() % UInt64(keys.count))], entity: thing),
                    isAscending: random.next() % 2 == 0,
                    textOrder: [.scalars, .caseInsensitive, .standard][Int(random.next() % 3)])
            }
            let (offset, limit) = (Int(random.next() % 60), Int(random.next() % 60))
            let expected = try RowSorter(sorts, layouts: store.layouts, resolver: resolver)
                .sorted(rows).ids.dropFirst(offset).prefix(limit)

            let plan = FetchPlan(entity: thing, sorts: sorts, offset: offset, limit: limit)
            let answer = try snapshot.all(plan)

            #expect(answer.completed.isComplete)
            #expect(answer.batch.ids == Array(expected), "\(sorts.map(\.path)) CAIRN_SEED=\(seed)")
        }
    }

    @Test func `neither sorts nor pages after an untranslated predicate`() throws {
        let store = try EdgeCaseStore.make(seed: 1)
        let (snapshot, thing) = (try store.snapshot(), store.entity("Thing"))
        // A REAL cannot represent 38 digits.
        let many = try #require(Decimal(string: "0.12345678901234567890123456789012345678"))
        let remaining = try FetchPredicate.comparison(
            PredicateComparison(.keyPath(["price"]), .lessThan, .constant(.decimal(many)))
        ).bound(to: thing)
        let translated = try FetchPredicate(format: "large > 0").bound(to: thing)
        let sort = BoundSort(try BoundPath(keyPath: "name", entity: thing))
        let plan = FetchPlan(
            entity: thing, predicate: .and([remaining, translated]), sorts: [sort], limit: 1)

        let answer = try snapshot.all(plan)
        let count = try snapshot.count(plan)

        let expected = try snapshot.all(FetchPlan(entity: thing, predicate: translated)).batch.ids
        #expect(answer.completed.remainingPredicate == remaining)
        #expect(!answer.completed.isSorted)
        #expect(!answer.completed.isPaged)
        #expect(answer.batch.ids == expected)
        #expect(count == nil)
    }

    @Test func `counts what it fetches`() throws {
        let store = try EdgeCaseStore.make(seed: 2)
        let (snapshot, thing) = (try store.snapshot(), store.entity("Thing"))
        let predicate = try FetchPredicate(format: "large != nil").bound(to: thing)

        for (offset, limit) in [(0, nil), (3, nil), (3, 5), (1000, 5), (0, 0)] as [(Int, Int?)] {
            for includes in [true, false] {
                let plan = FetchPlan(
                    entity: thing, includesSubentities: includes, predicate: predicate,
                    offset: offset, limit: limit)
                let count = try snapshot.count(plan)
                let fetched = try snapshot.all(plan).batch.count
                #expect(count == fetched)
            }
        }
    }

    @Test func `yields IDs with the concrete entity`() throws {
        let store = try EdgeCaseStore.make(seed: 3)
        let snapshot = try store.snapshot()
        let plan = FetchPlan(entity: store.entity("Thing"), output: .ids)

        let batch = try snapshot.all(plan).batch

        let names = batch.ids.map { store.model.entity(numbered: $0.entity)?.name ?? "" }
        #expect(batch.holdsIDsOnly)
        #expect(names == Array(repeating: "Book", count: 30) + Array(repeating: "Box", count: 20))
    }

    @Test func `returns each row once, whatever entity the IDs have`() throws {
        let store = try EdgeCaseStore.make(seed: 4)
        let snapshot = try store.snapshot()
        let (book, box) = (store.entity("Book"), store.entity("Box"))
        let foreign = ObjectID(
            store: StoreNumber(rawValue: 99_999), rootEntity: book.rootEntity.number,
            entity: book.number, key: 1)
        let ids = [
            store.id(box, 2), store.id(book, 2), store.id(book, 40), store.id(book, 99), foreign,
        ]

        let rows = try snapshot.rows(for: ids)

        #expect(rows.ids.map(\.key) == [2, 40])
        #expect(rows.ids.map(\.entity) == [book.number, box.number])
    }

    @Test func `reads thousands of rows by ID`() throws {
        let store = try EdgeCaseStore.make(seed: 5)
        let tag = store.entity("Tag")
        try store.plain.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 3099) \
            INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME) SELECT i, \
            (SELECT Z_ENT FROM ZTAG LIMIT 1), 1, 'n' || i FROM n
            """)
        let snapshot = try store.snapshot()

        let rows = try snapshot.rows(for: (100..<3100).reversed().map { store.id(tag, $0) })

        #expect(rows.ids.map(\.key) == Array(100..<3100))
    }

    @Test func `returns each end of a relationship that is its own inverse for the other`() throws {
        let store = try EdgeCaseStore.make(seed: 9)
        let snapshot = try store.snapshot()
        let related = try #require(store.entity("Tag").relationship(named: "related"))
        let tags = try snapshot.all(FetchPlan(entity: store.entity("Tag"), output: .ids)).batch.ids

        let members = try snapshot.relatedIDs(related, of: tags)

        var pairs: Set<[ObjectID]> = []
        for (index, tag) in tags.enumerated() {
            for member in members.members[members.range(ofOwnerAt: index)] {
                pairs.insert([tag, member])
            }
        }
        #expect(!pairs.isEmpty)
        #expect(pairs.count == members.members.count)
        #expect(pairs == Set(pairs.map { [$0[1], $0[0]] }))
    }

    @Test(arguments: [1, 7, 50, 10_000])
    func `packs a whole table in the order of keys, in batches of any size`(_ size: Int) throws {
        let store = try EdgeCaseStore.make(seed: 10)
        // The keys are not in the order of insertion, and a scan could use the index instead.
        try store.plain.execute("CREATE INDEX ZTHING_Z_ENT_INDEX ON ZTHING (Z_ENT)")
        try store.plain.execute("UPDATE ZTHING SET Z_PK = Z_PK + 10000")
        try store.plain.execute("UPDATE ZTHING SET Z_PK = (Z_PK - 10000) * 7919 % 1009 + 1")
        let (snapshot, thing) = (try store.snapshot(), store.entity("Thing"))
        let cursor = try snapshot.cursor(FetchPlan(entity: thing))
        let one = BoundSort(try BoundPath(keyPath: "self", entity: thing))

        var batch = RowBatch()
        while let next = try cursor.next(atMost: size) { batch.append(next) }
        let limited = try snapshot.all(FetchPlan(entity: thing, limit: 41)).batch

        let stepped = try snapshot.all(FetchPlan(entity: thing, sorts: [one])).batch
        #expect(cursor is SQLiteCursor)
        #expect(batch.ids == stepped.ids)
        #expect(batch.ids.map(\.key) == batch.ids.map(\.key).sorted())
        #expect(zip(batch.rows, stepped.rows).allSatisfy(Row.hasSameBytes))
        #expect(limited.ids == Array(batch.ids.prefix(41)))
    }

    @Test func `does not show later commits`() throws {
        let store = try EdgeCaseStore.make(seed: 6)
        let owner = store.entity("Owner")
        let before = try store.snapshot()
        let cursor = try before.cursor(FetchPlan(entity: owner))
        let first = try cursor.next(atMost: 1)

        try store.plain.execute("DELETE FROM ZOWNER")
        var rest = 0
        while let batch = try cursor.next(atMost: 5) { rest += batch.count }
        let after = try store.snapshot()
        let left = try after.count(FetchPlan(entity: owner))

        #expect(first?.count == 1)
        #expect(rest == 11)
        #expect(left == 0)
        #expect(before.generation < after.generation)
    }

    @Test func `serves several cursors of one plan, and several threads`() async throws {
        let store = try EdgeCaseStore.make(seed: 7)
        let snapshot = try store.snapshot()
        let plan = FetchPlan(entity: store.entity("Thing"))
        let (one, other) = (try snapshot.cursor(plan), try snapshot.cursor(plan))
        _ = try one.next(atMost: 10)
        let whole = try other.next(atMost: 100)

        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 { group.addTask { try snapshot.all(plan).batch.count } }
            return try await group.reduce(into: []) { $0.append($1) }
        }

        let rest = try one.next(atMost: 100)
        #expect(whole?.count == 50)
        #expect(rest?.count == 40)
        #expect(counts == Array(repeating: 50, count: 8))
    }

    @Test func `throws closed once its store was closed`() throws {
        let store = try EdgeCaseStore.make(seed: 8)
        let snapshot = try store.snapshot()
        let cursor = try snapshot.cursor(FetchPlan(entity: store.entity("Tag")))

        store.pool.close()

        for use in [
            { _ = try cursor.next(atMost: 1) },
            { _ = try snapshot.rows(for: [store.id(store.entity("Tag"), 1)]) },
        ] {
            #expect { try use() } throws: { error in
                if case StoreError.closed = error { true } else { false }
            }
        }
    }
}
