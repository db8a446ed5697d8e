import CairnModel
import CairnRows
import CairnStore
import CairnTestSupport
import Testing

@testable import CairnLMDB

/// The number of rows that a fetch examines. The number matters because a fetch that ignores an index also
/// returns the right rows.
@Suite struct `LMDB index use` {
    let fixture: LMDBFixture
    let store: LMDBStore

    /// Creates 1000 people with 100 ages and 250 names, and 1000 books lent to 500 of them.
    init() throws {
        fixture = try LMDBFixture()
        store = try fixture.open()
        var rows: [Row] = []
        for key in Int64(1)...1000 {
            rows.append(
                try fixture.row(
                    store, "Reader", key,
                    ["age": .integer(key % 100), "name": .string("n\(key % 250 + 1000)")]))
        }
        for key in Int64(1)...1000 {
            let reader = try fixture.id(store, "Reader", key % 500 + 1)
            rows.append(try fixture.row(store, "Book", key, ["borrower": .objectID(reader)]))
        }
        try fixture.insert(store, rows)
    }

    /// Returns how many rows the fetch found, and how many it examined.
    private func run(_ plan: FetchPlan) throws -> (found: Int, looked: Int) {
        let cursor = try #require(try store.snapshot().cursor(plan) as? LMDBRowCursor)
        var found = 0
        while let batch = try cursor.next(atMost: 100) { found += batch.count }
        return (found, cursor.candidateCount)
    }

    private func sort(_ attribute: String, isAscending: Bool) throws -> BoundSort {
        let attribute = try #require(try fixture.entity("Person").attribute(named: attribute))
        return BoundSort(BoundPath(leaf: .attribute(attribute)), isAscending: isAscending)
    }

    @Test(arguments: [
        ("age == 7", 10), ("7 == age", 10), ("age < 3", 30), ("age >= 98", 20),
        ("age BETWEEN {10, 14}", 50), ("age > 10 AND age < 13", 20), ("age IN {1, 5, 500}", 20),
        ("age == nil", 0), ("name == 'n1003'", 4), ("name BEGINSWITH 'n100'", 40),
        ("name IN {'n1001', 'n1002'}", 8), ("name > 'n1247'", 8),
        ("age == 7 AND height == nil", 10), ("age == 7 OR name == 'n1003'", 14),
        ("age == 7 OR 8 == age OR age == 7", 20), ("(age == 7 OR age > 97) AND height != 3", 30),
    ])
    func `reads only rows that an index names`(_ text: String, _ count: Int) throws {
        let plan = FetchPlan(
            entity: try fixture.entity("Person"), predicate: try fixture.predicate(text, "Person"))

        let (found, looked) = try run(plan)

        #expect(found == count)
        #expect(looked == count)
    }

    @Test(arguments: [true, false])
    func `reads a page in the order of an index`(_ isAscending: Bool) throws {
        let plan = FetchPlan(
            entity: try fixture.entity("Person"),
            sorts: [try sort("name", isAscending: isAscending)], offset: 20, limit: 10)

        let (found, looked) = try run(plan)

        #expect(found == 10)
        // The keys of equal values are adjacent.
        #expect(looked <= 34)
    }

    @Test func `reads a page in the order of an index and of another attribute`() throws {
        let plan = FetchPlan(
            entity: try fixture.entity("Person"),
            sorts: [try sort("name", isAscending: true), try sort("age", isAscending: false)],
            offset: 2, limit: 10)

        let snapshot = try store.snapshot()
        var explained = plan
        explained.isExplained = true
        let cursor = try snapshot.cursor(explained)
        let found = try #require(try cursor.next(atMost: 100))

        #expect(cursor.completed.isComplete && found.count == 10)
        #expect(cursor.report?.rowsRead == 12)
    }

    @Test func `finds objects by a to-one, without reading the others`() throws {
        let reader = try fixture.id(store, "Reader", 1)
        let path = BoundPath(
            relationships: [try fixture.relationship("Book", "borrower")], leaf: .object)
        let plan = FetchPlan(
            entity: try fixture.entity("Book"),
            predicate: .comparison(
                BoundComparison(.path(path), .equal, .constant(.objectID(reader)))))

        let (found, looked) = try run(plan)

        #expect(found == 2)
        #expect(looked == 2)
    }

    @Test(arguments: [
        ("Book", "borrower.name == 'n1003'", 4), ("Book", "borrower.age == 7", 10),
        ("Book", "borrower.name == 'n1003' AND isbn == nil", 4),
        ("Book", "borrower.name IN {'n1003', 'n1004'}", 8),
        ("Reader", "ANY loans.isbn == '17'", 0), ("Reader", "NONE loans.isbn == nil", 500),
        ("Reader", "loans.@count == 2", 500),
    ])
    func `finds matches over a relationship from the other end`(
        _ entity: String, _ text: String, _ count: Int
    ) throws {
        let plan = FetchPlan(
            entity: try fixture.entity(entity), predicate: try fixture.predicate(text, entity))

        let cursor = try #require(try store.snapshot().cursor(plan) as? LMDBRowCursor)
        let (found, looked) = try run(plan)

        #expect(cursor.completed.isComplete)
        #expect(found == count)
        // If half of all rows match, the engine tests every row and examines no other rows.
        #expect(looked == (count < 200 ? count : 1000))
        #expect(try store.snapshot().count(plan) == count)
    }

    @Test func `counts matches through a to-one by its links, without reading their rows`() throws {
        let plan = FetchPlan(
            entity: try fixture.entity("Book"),
            predicate: try fixture.predicate("borrower.name != 'n1003'", "Book"))
        let most = FetchPlan(
            entity: try fixture.entity("Book"),
            predicate: try fixture.predicate("borrower.age < 50", "Book"))
        let snapshot = try #require(try store.snapshot() as? LMDBSnapshot)

        let access = try AccessPlanner(most, snapshot, countsOnly: true).make()

        guard case .links = access.path else {
            Issue.record("it looks at rows: \(access.path)")
            return
        }
        #expect(access.filter == nil)
        #expect(try snapshot.count(most) == 500)
        #expect(try snapshot.count(plan) == 996)
    }

    @Test func `leaves relationships of a few candidates to be followed one by one`() throws {
        let predicate = "isbn == nil AND SELF == %@ AND borrower.height == nil"
        let book = try fixture.id(store, "Book", 7)
        let plan = FetchPlan(
            entity: try fixture.entity("Book"),
            predicate: try FetchPredicate(format: predicate, arguments: [book])
                .bound(to: fixture.entity("Book")))

        let cursor = try store.snapshot().cursor(plan)

        #expect(cursor.completed.remainingPredicate != nil)
        #expect(try run(plan).looked == 1)
    }

    @Test func `reads every row if no index helps`() throws {
        let plan = FetchPlan(
            entity: try fixture.entity("Person"),
            predicate: try fixture.predicate("name CONTAINS '1003'", "Person"))

        let (found, looked) = try run(plan)

        #expect(found == 4)
        #expect(looked == 1000)
    }

    @Test func `copies only the matching rows of a scan`() throws {
        let plan = FetchPlan(
            entity: try fixture.entity("Person"),
            predicate: try fixture.predicate("name CONTAINS '1003'", "Person"))
        let cursor = try store.snapshot().cursor(plan)

        let batch = try #require(try cursor.next(atMost: 1000))

        let copied = (0..<batch.count).map { batch.address(at: $0).offset }
        let lengths = batch.rows.map(\.byteCount)
        #expect(copied == lengths.indices.map { lengths[..<$0].reduce(0, +) })
    }

    @Test(arguments: [
        // By an index, by a scan, after copying rows because these tests may have to be stopped, and all
        // rows.
        ("age == 7", 10), ("name CONTAINS '1003'", 4), ("name MATCHES 'n100.'", 40),
        ("name LIKE 'n100?' AND age == 2", 2), ("TRUEPREDICATE", 1000),
    ])
    func `visits each match without copying it`(_ text: String, _ count: Int) throws {
        let plan = FetchPlan(
            entity: try fixture.entity("Person"), predicate: try fixture.predicate(text, "Person"))
        let snapshot = try store.snapshot()
        let cursor = try #require(try snapshot.cursor(plan) as? LMDBRowCursor)
        var keys: [Int64] = []

        try cursor.forEachMatch { keys.append($0.key) }

        let listed = try #require(try snapshot.cursor(plan).next(atMost: 2000))
        #expect(keys == listed.ids.map(\.key))
        #expect(keys.count == count)
    }

    @Test func `skips neighbouring keys that have no row`() throws {
        try fixture.insert(store, [try fixture.row(store, "Reader", 1005, [:])])
        let ids = try [998, 999, 1000, 1001, 1002, 1005, 1006].map {
            try fixture.id(store, "Reader", $0)
        }
        let plan = FetchPlan(
            entity: try fixture.entity("Person"),
            predicate: try FetchPredicate(format: "SELF IN %@", arguments: [ids])
                .bound(to: fixture.entity("Person")))
        let snapshot = try store.snapshot()

        let fetched = try #require(try snapshot.cursor(plan).next(atMost: 10))
        let read = try snapshot.rows(for: ids)

        #expect(fetched.ids.map(\.key) == [998, 999, 1000, 1005])
        #expect(read.ids.map(\.key) == [998, 999, 1000, 1005])
    }
}
