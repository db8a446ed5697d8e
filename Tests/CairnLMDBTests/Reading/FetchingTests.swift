import CairnEngineKit
import CairnLMDB
import CairnModel
import CairnRows
import CairnStore
import CairnTestSupport
import Foundation
import Testing

@Suite struct `LMDB fetching` {
    /// Returns a store with 400 people whose values collide and include extremes, and books that refer to
    /// them.
    private func filled() throws -> (LMDBFixture, LMDBStore) {
        let fixture = try LMDBFixture()
        let store = try fixture.open()
        var random = SeededRandom(seed: 7)
        let long = String(repeating: "ö", count: 300)
        let names = [
            "", "Ann", "Anna", "anna", "Bo", "Zoë", "\u{0}x", long, long + "a", long + "b",
        ]
        let heights: [Double] = [
            0, -0.0, 1.5, -1.5, .nan, .infinity, -.infinity, Double.leastNonzeroMagnitude,
        ]
        let balances = ["0", "-1.5", "1.50", "12345678901234567890.5", "-0.0001", "99"]
        let tokens = (0..<3).map { _ in UUID() }
        var rows: [Row] = []
        for key in Int64(1)...400 {
            var values: [String: Value] = [:]
            func maybe(_ name: String, _ value: Value) {
                if UInt8.random(in: 0..<6, using: &random) > 0 { values[name] = value }
            }
            maybe("age", .integer(Int64.random(in: -3...12, using: &random)))
            maybe("name", .string(names.randomElement(using: &random) ?? ""))
            maybe("height", .double(heights.randomElement(using: &random) ?? 0))
            maybe("token", .uuid(tokens.randomElement(using: &random) ?? UUID()))
            let balance = balances.randomElement(using: &random).flatMap { Decimal(string: $0) }
            maybe("balance", .decimal(balance ?? 0))
            rows.append(try fixture.row(store, key % 3 == 0 ? "Reader" : "Author", key, values))
        }
        for key in Int64(1)...300 {
            var values: [String: Value] = ["pages": .integer(key % 17)]
            if key % 4 > 0 {
                values["borrower"] = .objectID(try fixture.id(store, "Reader", key % 20 * 3 + 3))
            }
            rows.append(try fixture.row(store, "Book", key, values))
        }
        try fixture.insert(store, rows)
        return (fixture, store)
    }

    /// Returns the result that the plan defines, by testing and sorting every row of the hierarchy with the
    /// evaluator.
    private func expected(
        _ fixture: LMDBFixture, _ store: LMDBStore, _ snapshot: any StoreSnapshot, _ plan: FetchPlan
    ) throws -> [ObjectID] {
        let entity = plan.entity.rootEntity
        let ids = (Int64(1)...400).map {
            ObjectID(
                store: store.number, rootEntity: entity.number, entity: entity.number, key: $0)
        }
        var all = RowBatch(
            try snapshot.rows(for: ids).rows.filter { plan.entityNumbers.contains($0.entity) })
        let resolver = SnapshotResolver(snapshot, layouts: fixture.layouts)
        if let predicate = plan.predicate {
            all = try RowFilter(predicate, layouts: fixture.layouts, resolver: resolver).filter(all)
        }
        all = try RowSorter(plan.sorts, layouts: fixture.layouts, resolver: resolver).sorted(all)
        let start = min(plan.offset, all.count)
        return all.slice(start..<min(all.count, start + (plan.limit ?? all.count))).ids
    }

    private static let predicates = [
        "age = 5", "5 = age", "age = nil", "age != 5", "age < 3", "3 > age", "age <= 3", "age > 3",
        "age >= 3 AND age < 7", "age BETWEEN {2, 4}", "age IN {1, 5, 99, nil}", "age IN {}",
        "age = 5 AND name = 'Ann'", "age = 5 OR name = 'Ann'", "NOT age = 5", "age > 2.5",
        "name = 'Anna'", "name =[c] 'anna'", "name BEGINSWITH 'An'", "name BEGINSWITH ''",
        "name < 'B'", "name >= 'Bo'", "name BEGINSWITH 'An' AND age > 4", "name = ''",
        "name LIKE 'A*'", "height = 0", "height < 0", "height <= -1.5", "height > 1", "height >= 0",
        "balance = 1.5", "balance < 0", "balance > 1.25", "balance BETWEEN {-1.5, 99}",
        "age = 5 AND age = 6", "age < nil", "TRUEPREDICATE", "FALSEPREDICATE",
        "age = 5 AND TRUEPREDICATE",
        "ANY tags.label = 'x'", "age = 5 AND tags.@count = 0", "age > 3 AND age > 5 AND age < 9",
    ]

    @Test(arguments: predicates)
    func `finds what the evaluator finds`(_ text: String) throws {
        let (fixture, store) = try filled()
        let snapshot = try store.snapshot()
        for name in ["Person", "Author"] {
            let plan = FetchPlan(
                entity: try fixture.entity(name), predicate: try fixture.predicate(text, name))

            let found = try fixture.fetch(snapshot, plan)
            let count = try snapshot.count(plan)

            let wanted = try expected(fixture, store, snapshot, plan)
            #expect(found == wanted)
            #expect(count == nil || count == wanted.count)
        }
    }

    @Test func `finds long texts that are truncated in the index`() throws {
        let (fixture, store) = try filled()
        let snapshot = try store.snapshot()
        let long = String(repeating: "ö", count: 300)
        let person = try fixture.entity("Person")
        for (word, text) in [
            ("=", long), ("=", long + "a"), ("<", long + "b"), (">", long + "a"),
            (">=", long + "a"),
            ("<=", long), ("BEGINSWITH", long + "b"), ("BEGINSWITH", String(long.dropLast(50))),
        ] {
            let predicate = try FetchPredicate(format: "name \(word) %@", text).bound(to: person)
            let plan = FetchPlan(entity: person, predicate: predicate)
            #expect(
                try fixture.fetch(snapshot, plan) == expected(fixture, store, snapshot, plan),
                "\(word)")
        }
    }

    @Test(arguments: ["age", "name", "height", "balance", "token"], [true, false])
    func `returns pages in the order of an index`(_ name: String, _ isAscending: Bool) throws {
        let (fixture, store) = try filled()
        let snapshot = try store.snapshot()
        let person = try fixture.entity("Person")
        let attribute = try #require(person.attribute(named: name))
        let sort = BoundSort(BoundPath(leaf: .attribute(attribute)), isAscending: isAscending)
        let ranges: [String?] = [nil, "age >= 2 AND age < 9", "age = 5", "name >= 'A'"]
        for text in ranges {
            let predicate = try text.map { try fixture.predicate($0, "Person") }
            for (offset, limit) in [(0, 10), (5, 1000), (390, 30), (0, 0), (37, 100)] {
                for entity in [person, try fixture.entity("Reader")] {
                    let plan = FetchPlan(
                        entity: entity, predicate: predicate, sorts: [sort], offset: offset,
                        limit: limit)
                    #expect(
                        try fixture.fetch(snapshot, plan)
                            == expected(fixture, store, snapshot, plan),
                        "\(text ?? "all") \(offset) \(limit)")
                }
            }
        }
        let paged = FetchPlan(entity: person, sorts: [sort], limit: 5)
        #expect(try snapshot.cursor(paged).completed.isComplete)
    }

    @Test func `reports exactly which stages it completed`() throws {
        let (fixture, store) = try filled()
        let snapshot = try store.snapshot()
        let person = try fixture.entity("Person")
        func completed(_ text: String, sort: String? = nil, limit: Int? = nil) throws
            -> CompletedStages
        {
            var plan = FetchPlan(
                entity: person, predicate: try fixture.predicate(text, "Person"), limit: limit)
            if let sort {
                plan.sorts = [
                    BoundSort(
                        BoundPath(leaf: .attribute(try #require(person.attribute(named: sort)))))
                ]
            }
            return try snapshot.cursor(plan).completed
        }

        #expect(try completed("age = 5").isComplete)
        #expect(try completed("age = 5", limit: 3).isComplete)
        #expect(try completed("age > 5", sort: "age", limit: 3).isComplete)
        // The engine keeps the first few rows of the order while it reads all matches.
        #expect(try completed("age > 5", sort: "name", limit: 3).isComplete)
        let unsorted = try completed("age > 5", sort: "name")
        #expect(unsorted.remainingPredicate == nil && !unsorted.isSorted)
        // The coordinator follows relationships row by row if their values are compared with a value of the
        // row itself.
        let followed = "tags.@min.label = name"
        let partial = try completed("age = 5 AND \(followed)", limit: 3)
        #expect(partial.remainingPredicate == (try fixture.predicate(followed, "Person")))
        #expect(partial.isSorted && !partial.isPaged)
    }

    @Test func `finds objects by ID and by to-one`() throws {
        let (fixture, store) = try filled()
        let snapshot = try store.snapshot()
        let (book, person) = (try fixture.entity("Book"), try fixture.entity("Person"))
        let reader = try fixture.id(store, "Reader", 6)
        let other = try fixture.id(store, "Reader", 9)
        let cases: [(Entity, FetchPredicate)] = try [
            (book, FetchPredicate(format: "borrower = %@", reader)),
            (book, FetchPredicate(format: "borrower IN %@", [reader, other])),
            (book, FetchPredicate(format: "borrower = %@ AND pages > 3", reader)),
            (book, FetchPredicate(format: "borrower = nil")),
            (book, FetchPredicate(format: "borrower != %@", reader)),
            (person, FetchPredicate(format: "SELF = %@", reader)),
            (person, FetchPredicate(format: "SELF IN %@", [other, reader])),
        ]
        for (entity, predicate) in cases {
            let plan = FetchPlan(entity: entity, predicate: try predicate.bound(to: entity))
            let wanted = try expected(fixture, store, snapshot, plan)
            #expect(try fixture.fetch(snapshot, plan) == wanted, "\(predicate)")
            #expect(try snapshot.count(plan) == wanted.count, "\(predicate)")
        }
    }

    @Test func `returns IDs with their concrete entities`() throws {
        let (fixture, store) = try filled()
        let snapshot = try store.snapshot()
        for text in ["TRUEPREDICATE", "age = 5", "age = 5 AND name != 'Bo'"] {
            let plan = FetchPlan(
                entity: try fixture.entity("Person"),
                predicate: try fixture.predicate(text, "Person"),
                output: .ids)
            let cursor = try snapshot.cursor(plan)
            var ids: [ObjectID] = []
            while let batch = try cursor.next(atMost: 9) {
                #expect(batch.holdsIDsOnly)
                ids += batch.ids
            }
            let wanted = try expected(fixture, store, snapshot, plan)
            #expect(ids == wanted)
            #expect(ids.map(\.entity) == wanted.map(\.entity))
        }
    }

    @Test func `returns the right rows for IDs of other entities, stores, and unknown keys`() throws
    {
        let (fixture, store) = try filled()
        let foreign = ObjectID(
            store: StoreNumber(rawValue: 999_999), rootEntity: try fixture.entity("Tag").number,
            entity: try fixture.entity("Tag").number, key: 1)

        let rows = try store.snapshot().rows(for: [
            fixture.id(store, "Author", 3), fixture.id(store, "Book", 7), foreign,
            fixture.id(store, "Author", 3), fixture.id(store, "Book", 9999),
            fixture.id(store, "Book", -4),
        ])

        #expect(rows.ids.map(\.key).sorted() == [3, 7])
        #expect(
            rows.rows.contains { $0.key == 3 && $0.entity == rows.ids[0].entity || $0.key == 7 })
    }

    @Test func `reads one snapshot from several threads`() async throws {
        let (fixture, store) = try filled()
        let snapshot = try store.snapshot()
        let plan = FetchPlan(
            entity: try fixture.entity("Person"),
            predicate: try fixture.predicate("age > 3", "Person"))
        let wanted = try snapshot.count(plan)

        let counts = try await withThrowingTaskGroup(of: Int?.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let cursor = try snapshot.cursor(plan)
                    var count = 0
                    while let batch = try cursor.next(atMost: 3) { count += batch.count }
                    return count
                }
            }
            return try await group.reduce(into: [Int?]()) { $0.append($1) }
        }

        #expect(counts == Array(repeating: wanted, count: 8))
    }
}
