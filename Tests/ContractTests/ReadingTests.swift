import CairnModel
import CairnStore
import Testing

@Suite(.onEveryEngine) struct `Reading` {
    let subject: StoreUnderTest

    init() throws {
        subject = try StoreUnderTest()
        try subject.insert(
            try subject.row("Track", 1), try subject.row("LiveTrack", 2),
            try subject.row("Track", 3), try subject.row("LiveTrack", 5),
            try subject.row("Album", 1))
    }

    private func keys(_ plan: FetchPlan, atMost count: Int = 2) throws -> [[Int64]] {
        let cursor = try subject.store.snapshot().cursor(plan)
        #expect(cursor.completed.isComplete)
        var keys: [[Int64]] = []
        while let batch = try cursor.next(atMost: count) { keys.append(batch.ids.map(\.key)) }
        return keys
    }

    @Test func `streams in batches, none of them empty`() throws {
        #expect(try keys(FetchPlan(entity: try subject.entity("Track"))) == [[1, 2], [3, 5]])
        #expect(try keys(FetchPlan(entity: try subject.entity("Tag"))) == [])
    }

    @Test func `answers an entity with or without its subentities`() throws {
        let (track, live) = (try subject.entity("Track"), try subject.entity("LiveTrack"))

        #expect(try keys(FetchPlan(entity: track), atMost: 9) == [[1, 2, 3, 5]])
        #expect(try keys(FetchPlan(entity: track, includesSubentities: false)) == [[1, 3]])
        #expect(try keys(FetchPlan(entity: live)) == [[2, 5]])
        #expect(try subject.store.entityCounts()["Track"] == 2)
    }

    @Test(arguments: [(0, 0, []), (0, 1, [[1]]), (1, 2, [[2, 3]]), (3, 9, [[5]]), (4, 1, [])])
    func `passes over the offset and stops at the limit`(
        offset: Int, limit: Int, expected: [[Int64]]
    ) throws {
        let plan = FetchPlan(
            entity: try subject.entity("Track"), offset: offset, limit: limit)

        #expect(try keys(plan) == expected)
        #expect(try subject.store.snapshot().count(plan) == expected.joined().count)
    }

    @Test func `gives IDs alone where those were wanted`() throws {
        let plan = FetchPlan(entity: try subject.entity("Track"), output: .ids)

        let batch = try #require(try subject.store.snapshot().cursor(plan).next(atMost: 10))

        #expect(batch.holdsIDsOnly)
        #expect(batch.rowIndices.isEmpty)
        #expect(
            try batch.ids.map(\.entity)
                == ["Track", "LiveTrack", "Track", "LiveTrack"].map {
                    try subject.entity($0).number
                })
    }

    @Test func `finds rows by ID, whatever the entity in it`() throws {
        let root = try subject.id("Track", 2)
        let stranger = ObjectID(
            store: StoreNumber(rawValue: 0x7fff_fff0), rootEntity: root.rootEntity,
            entity: root.entity, key: 1)
        let ids = [
            try subject.id("Track", 3), root, try subject.id("Track", 4), stranger,
            ObjectID(
                store: root.store, rootEntity: EntityNumber(999), entity: EntityNumber(999), key: 1),
        ]

        let rows = try subject.store.snapshot().rows(for: ids)

        #expect(Set(rows.ids.map(\.key)) == [2, 3])
        let live = try #require(rows.rows.first { $0.key == 2 })
        #expect(live.entity == (try subject.entity("LiveTrack").number))
    }
}

@Suite(.onEveryEngine) struct `Fetching` {
    let subject: StoreUnderTest

    init() throws {
        subject = try StoreUnderTest()
        let labels = try (1...2).map { Value.objectID(try subject.id("Label", $0)) }
        try subject.insert(try subject.row("Label", 1), try subject.row("Label", 2))
        let names: [Value] = ["Delta", "alpha", .null, "Charlie", "bravo", "alpha"]
        for (index, name) in names.enumerated() {
            try subject.insert(
                try subject.row(
                    "Album", Int64(index + 1), ["name": name, "label": labels[index % 2]]))
        }
    }

    private func plan(
        _ format: String, sort: [(String, Bool)] = [], offset: Int = 0, limit: Int? = nil
    ) throws -> FetchPlan {
        let album = try subject.entity("Album")
        let predicate = try FetchPredicate(format: format).bound(to: album)
        let sorts = try sort.map {
            BoundSort(try BoundPath(keyPath: $0.0, entity: album), isAscending: $0.1)
        }
        return FetchPlan(
            entity: album, predicate: predicate, sorts: sorts, offset: offset, limit: limit)
    }

    private func keys(_ plan: FetchPlan, atMost count: Int = 2) throws -> [Int64] {
        let cursor = try subject.store.snapshot().cursor(plan)
        #expect(cursor.completed.isComplete)
        var keys: [Int64] = []
        while let batch = try cursor.next(atMost: count) { keys += batch.ids.map(\.key) }
        return keys
    }

    @Test(arguments: [
        ("name == 'alpha'", [2, 6]), ("name ==[c] 'DELTA'", [1]), ("name == nil", [3]),
        ("label.albums.@count == 3 AND name != nil", [1, 2, 4, 5, 6]),
        ("name BEGINSWITH 'a' OR name CONTAINS 'r'", [2, 4, 5, 6]), ("FALSEPREDICATE", []),
    ])
    func `keeps what the predicate matches`(format: String, expected: [Int64]) throws {
        #expect(try keys(try plan(format)) == expected)
        #expect(try subject.store.snapshot().count(try plan(format)) == expected.count)
    }

    @Test func `follows a relationship back to the object itself`() throws {
        let label = try subject.id("Label", 2)
        let album = try subject.entity("Album")
        let plan = FetchPlan(
            entity: album,
            predicate: .comparison(
                BoundComparison(
                    .path(
                        BoundPath(
                            relationships: [try subject.relationship("Album", "label")],
                            leaf: .object)),
                    .equal, .constant(.objectID(label)))))

        #expect(try keys(plan) == [2, 4, 6])
    }

    @Test func `sorts by several keys, nil first and ties by key`() throws {
        #expect(try keys(try plan("TRUEPREDICATE", sort: [("name", true)])) == [3, 4, 1, 2, 6, 5])
        #expect(
            try keys(try plan("TRUEPREDICATE", sort: [("label", false), ("name", false)]))
                == [2, 6, 4, 5, 1, 3])
    }

    @Test func `pages what is sorted`() throws {
        let plan = try plan("name != nil", sort: [("name", true)], offset: 1, limit: 3)

        #expect(try keys(plan) == [1, 2, 6])
        #expect(try keys(plan, atMost: 100) == [1, 2, 6])
        #expect(try subject.store.snapshot().count(plan) == 3)
    }
}
