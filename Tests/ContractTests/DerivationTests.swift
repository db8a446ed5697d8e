import CairnModel
import CairnStore
import Foundation
import Testing

@Suite(.onBuiltInEngines) struct `Derived attributes` {
    let subject: StoreUnderTest

    init() throws { subject = try StoreUnderTest(Self.entities) }

    private static func derived(
        _ name: String, _ type: AttributeType, _ expression: String
    ) -> PropertyDescription {
        var attribute = AttributeDescription(name, type)
        attribute.derivation = Derivation(expression: expression)
        return .attribute(attribute)
    }

    private static var entities: [EntityDescription] {
        var album = EntityDescription(
            "Album",
            [
                .attribute("name", .string), derived("search", .string, "canonical:(name)"),
                derived("trackCount", .integer16, "tracks.@count"),
                derived("seconds", .double, "tracks.@sum.seconds"),
                derived("labelName", .string, "label.search"),
                derived("savedAt", .date, "now()"),
                derived("genreCount", .integer64, "genres.@count"),
                .toMany("tracks", "Track", inverse: "album"),
                .toOne("label", "Label", inverse: "albums"),
                .toMany("genres", "Genre", inverse: "albums"),
            ])
        album.uniquenessConstraints = [["search"]]
        return [
            album,
            EntityDescription(
                "Track",
                [.attribute("seconds", .integer64), .toOne("album", "Album", inverse: "tracks")]),
            EntityDescription(
                "Label",
                [
                    .attribute("name", .string), derived("search", .string, "canonical:(name)"),
                    .toMany("albums", "Album", inverse: "label"),
                ]),
            EntityDescription("Genre", [.toMany("albums", "Album", inverse: "genres")]),
        ]
    }

    private func album(_ name: String) throws -> Value {
        try subject.value(name, of: try #require(try subject.rows("Album").first))
    }

    @Test func `are computed when an object is saved, whatever its row says`() throws {
        let before = Date()

        let outcome = try subject.insert(
            try subject.row("Album", 1, ["name": "Ágætis", "search": "no", "trackCount": 9]))

        #expect(outcome.recomputed.ids == [try subject.id("Album", 1)])
        #expect(try album("search") == "agætis")
        #expect(try album("trackCount") == 0)
        #expect(try album("labelName") == .null)
        guard case .date(let savedAt) = try album("savedAt") else {
            Issue.record("savedAt is no date")
            return
        }
        #expect((before...Date()).contains(savedAt))
        #expect(
            try subject.value(
                "search", of: try #require(outcome.recomputed.rows.first { _ in true })) == "agætis"
        )
    }

    @Test func `follow members that come, change and go`() throws {
        let owner = Value.objectID(try subject.id("Album", 1))
        try subject.insert(try subject.row("Album", 1))

        let outcome = try subject.insert(
            try subject.row("Track", 1, ["seconds": 100, "album": owner]),
            try subject.row("Track", 2, ["seconds": 20, "album": owner]))
        #expect(outcome.recomputed.ids == [try subject.id("Album", 1)])
        #expect(try album("trackCount") == 2)
        #expect(try album("seconds") == .double(120))

        try subject.save(
            SaveRequest(updated: [
                try subject.update("Track", 1, from: 1, ["seconds": 1, "album": owner])
            ]))
        #expect(try album("seconds") == .double(21))

        try subject.save(
            SaveRequest(
                updated: [try subject.update("Track", 1, from: 2)],
                deleted: [try subject.deletion("Track", 2, from: 1)]))
        #expect(try album("trackCount") == 0)
        #expect(try album("seconds") == .double(0))
    }

    @Test func `follow an object whose own value is derived`() throws {
        let label = Value.objectID(try subject.id("Label", 1))
        try subject.insert(
            try subject.row("Label", 1, ["name": "ÉTÉ"]),
            try subject.row("Album", 1, ["label": label]))
        #expect(try album("labelName") == "ete")

        try subject.save(
            SaveRequest(updated: [try subject.update("Label", 1, from: 1, ["name": "Hiver"])]))

        #expect(try album("labelName") == "hiver")
    }

    @Test func `follow pairs from either side`() throws {
        let (album, genre) = (try subject.id("Album", 1), try subject.id("Genre", 1))
        try subject.insert(
            try subject.row("Album", 1), try subject.row("Genre", 1),
            pairs: [try subject.pair(.insert, "Album", "genres", album, genre)])
        #expect(try self.album("genreCount") == 1)

        try subject.save(SaveRequest(deleted: [try subject.deletion("Genre", 1, from: 1)]))

        #expect(try self.album("genreCount") == 0)
    }

    @Test func `of others raise no version, and leave their moment alone`() throws {
        try subject.insert(try subject.row("Album", 1))
        let savedAt = try album("savedAt")

        try subject.insert(
            try subject.row("Track", 1, ["album": .objectID(try subject.id("Album", 1))]))

        #expect(try subject.rows("Album").map(\.version) == [1])
        #expect(try album("trackCount") == 1)
        #expect(try album("savedAt") == savedAt)
    }

    @Test func `are kept unique by the value that was computed`() throws {
        try subject.insert(try subject.row("Album", 1, ["name": "One", "search": "x"]))
        try subject.insert(try subject.row("Album", 2, ["name": "Two", "search": "one"]))

        let clash = SaveRequest(
            inserted: RowBatch([try subject.row("Album", 3, ["name": "ONE", "search": "y"])]))

        guard case .uniquenessConflicts(let conflicts)? = try subject.refusal(of: clash) else {
            Issue.record("the computed value occurs twice")
            return
        }
        #expect(conflicts.map { $0.stored?.key } == [1])
    }

    @Test func `that count some members only keep a store from opening`() throws {
        var derived = AttributeDescription("value", .integer64)
        derived.derivation = Derivation(
            expression: "tracks.@count", filter: try FetchPredicate(format: "seconds > 3"))
        let entities = [
            EntityDescription(
                "Album", [.attribute(derived), .toMany("tracks", "Track", inverse: "album")]),
            EntityDescription(
                "Track",
                [
                    .attribute("seconds", .integer64), .toOne("album", "Album", inverse: "tracks"),
                ]),
        ]

        #expect(throws: StoreError.self) { try StoreUnderTest(entities) }
    }

    @Test func `refuse a value that is out of their range`() throws {
        let entities = [
            EntityDescription(
                "Thing",
                [.attribute("amount", .integer64), Self.derived("small", .integer16, "amount")])
        ]
        let subject = try StoreUnderTest(entities)

        let refusal = try subject.refusal(
            of: SaveRequest(inserted: RowBatch([try subject.row("Thing", 1, ["amount": 40_000])])))

        guard case .unsupportedValue("Thing", "small", _)? = refusal else {
            Issue.record("40000 is no 16-bit integer: \(String(describing: refusal))")
            return
        }
    }
}
