import CairnModel
import CairnStore
import Testing

@Suite struct `Reading` {
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
