import CairnModel
import CairnStore
import Testing

@Suite(.onEveryEngine) struct `Row conflicts` {
    let subject: StoreUnderTest

    init() throws {
        subject = try StoreUnderTest()
        for key in 1...4 as ClosedRange<Int64> {
            try subject.insert(try subject.row("Album", key, ["name": "First"]))
        }
        try subject.save(
            SaveRequest(updated: [
                try subject.update("Album", 1, from: 1, ["name": "Second"]),
                try subject.update("Album", 2, from: 1, ["name": "Second"]),
            ]))
        try subject.save(SaveRequest(deleted: [try subject.deletion("Album", 3, from: 1)]))
    }

    private func conflicts(_ request: SaveRequest) throws -> [RowConflict] {
        guard case .rowConflicts(let conflicts)? = try subject.refusal(of: request) else {
            return []
        }
        return conflicts.sorted { $0.id.key < $1.id.key }
    }

    @Test func `are all listed, with the rows that are stored now`() throws {
        let request = SaveRequest(
            inserted: RowBatch([try subject.row("Album", 5)]),
            updated: [
                try subject.update("Album", 1, from: 1), try subject.update("Album", 3, from: 1),
                try subject.update("Album", 4, from: 1),
            ],
            deleted: [try subject.deletion("Album", 2, from: 1)])

        let conflicts = try conflicts(request)

        #expect(conflicts.map(\.id.key) == [1, 2, 3])
        #expect(conflicts.map(\.expectedVersion) == [1, 1, 1])
        #expect(conflicts.map(\.stored?.version) == [2, 2, nil])
        #expect(try subject.value("name", of: try #require(conflicts[0].stored)) == "Second")
        #expect(try subject.rows("Album").map(\.version) == [2, 2, 1])
    }

    @Test func `arise from deleting what is gone`() throws {
        let request = SaveRequest(deleted: [try subject.deletion("Album", 3, from: 1)])

        #expect(try conflicts(request).map(\.id.key) == [3])
    }

    @Test func `arise from inserting under a key that is taken`() throws {
        let request = SaveRequest(inserted: RowBatch([try subject.row("Album", 4)]))

        let conflicts = try conflicts(request)

        #expect(conflicts.map(\.stored?.version) == [1])
    }

    @Test func `arise from changing one object twice in a save`() throws {
        let request = SaveRequest(
            updated: [try subject.update("Album", 4, from: 1)],
            deleted: [try subject.deletion("Album", 4, from: 1)])

        #expect(try conflicts(request).map(\.id.key) == [4])
    }

    @Test func `do not arise where versions agree`() throws {
        let request = SaveRequest(
            updated: [try subject.update("Album", 1, from: 2)],
            deleted: [try subject.deletion("Album", 4, from: 1)])

        #expect(try conflicts(request).isEmpty)
        try subject.save(request)
        #expect(try subject.rows("Album").map(\.version) == [3, 2])
    }
}

@Suite(.onEveryEngine) struct `Uniqueness conflicts` {
    let subject: StoreUnderTest

    init() throws {
        subject = try StoreUnderTest()
        try subject.insert(
            try subject.row("Track", 1, ["code": "A", "disc": 1, "place": 1]),
            try subject.row("LiveTrack", 2, ["code": "B", "disc": 1, "place": 2, "venue": "Oslo"]),
            try subject.row("Track", 3))
    }

    private func conflicts(_ request: SaveRequest) throws -> [UniquenessConflict] {
        switch try subject.refusal(of: request) {
        case .uniquenessConflicts(let conflicts)?: conflicts
        case nil: []
        case let other?: throw other
        }
    }

    @Test func `are all listed, with the rows that have the values`() throws {
        let request = SaveRequest(
            inserted: RowBatch([
                try subject.row("Track", 4, ["code": "B"]),
                try subject.row("LiveTrack", 5, ["code": "A", "venue": "Oslo"]),
                try subject.row("Track", 6, ["disc": 1, "place": 2]),
            ]))

        let conflicts = try conflicts(request)

        let found = Set(
            conflicts.map {
                "\($0.entity) \($0.constraint) \($0.requested.map(\.key)) \($0.stored?.key ?? 0)"
            })
        #expect(
            found == [
                "Track [\"code\"] [4] 2", "Track [\"code\"] [5] 1",
                "Track [\"disc\", \"place\"] [6] 2", "LiveTrack [\"venue\"] [5] 2",
            ])
        #expect(try subject.rows("Track").count == 3)
    }

    @Test func `list objects of the request that clash with each other only`() throws {
        let request = SaveRequest(
            inserted: RowBatch([
                try subject.row("Track", 4, ["code": "new"]),
                try subject.row("LiveTrack", 5, ["code": "new"]),
                try subject.row("Track", 6, ["code": "newer"]),
            ]))

        let conflicts = try conflicts(request)

        #expect(conflicts.count == 1)
        #expect(conflicts.first?.requested.map(\.key).sorted() == [4, 5])
        #expect(conflicts.first.map { $0.stored == nil } == true)
    }

    @Test func `do not arise from swapping values in one save`() throws {
        try subject.save(
            SaveRequest(updated: [
                try subject.update("Track", 1, from: 1, ["code": "B", "disc": 1, "place": 2]),
                try subject.update(
                    "LiveTrack", 2, from: 1,
                    ["code": "A", "disc": 1, "place": 1, "venue": "Oslo"]),
            ]))

        let codes = try subject.rows("Track").map { try subject.value("code", of: $0) }
        #expect(codes == ["B", "A", .null])
        #expect(
            try conflicts(
                SaveRequest(inserted: RowBatch([try subject.row("Track", 4, ["code": "B"])]))
            ).first?.stored?.key == 1)
    }

    @Test func `do not arise from taking the value of an object deleted in the same save`() throws {
        try subject.save(
            SaveRequest(
                inserted: RowBatch([try subject.row("Track", 4, ["code": "A"])]),
                deleted: [try subject.deletion("Track", 1, from: 1)]))

        #expect(try subject.rows("Track").map(\.key) == [2, 3, 4])
    }

    @Test func `do not arise where one of the values is nil`() throws {
        try subject.insert(
            try subject.row("Track", 4, ["disc": 1]), try subject.row("Track", 5, ["disc": 1]),
            try subject.row("Track", 6), try subject.row("LiveTrack", 7))

        #expect(try subject.rows("Track").count == 7)
    }

    @Test func `do not arise from saving a row with its own values`() throws {
        try subject.save(
            SaveRequest(updated: [
                try subject.update("Track", 1, from: 1, ["code": "A", "disc": 1, "place": 1])
            ]))

        #expect(try subject.rows("Track").map(\.version) == [2, 1, 1])
    }
}
