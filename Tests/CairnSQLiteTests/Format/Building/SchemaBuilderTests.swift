import CairnModel
import CairnRows
import CairnStore
import CairnTestSupport
import Foundation
import Testing

@testable import CairnSQLite

@Suite struct `Schema builder` {
    private func statements(_ entities: [EntityDescription]) throws -> [String] {
        let model = try ManagedObjectModel(entities)
        let map = SchemaMap(
            creating: try StoreEntities(creating: model, configuration: nil),
            layouts: RowLayouts(model))
        return SchemaBuilder(map: map).statements()
    }

    @Test func `creates a partial index, a descending index and an index of rows`() throws {
        var item = EntityDescription(
            "Item", [.attribute("name", .string), .attribute("size", .integer32)])
        item.fetchIndexes = [
            FetchIndexDescription(
                "big", elements: [.init("size", isAscending: false), .init("name")],
                partialPredicate: try FetchPredicate(format: "size > 10 AND name != nil")),
            FetchIndexDescription("self", elements: [.init(.expression("SELF")), .init("name")]),
        ]

        let statements = try statements([item])

        #expect(
            statements.contains(
                "CREATE INDEX Z_Item_big ON ZITEM (ZSIZE COLLATE BINARY DESC, ZNAME COLLATE BINARY"
                    + " ASC) WHERE (ZSIZE > 10 AND ZNAME IS NOT NULL)"))
        #expect(
            statements.contains(
                "CREATE INDEX Z_Item_self ON ZITEM (Z_PK COLLATE BINARY ASC, ZNAME COLLATE BINARY"
                    + " ASC)"))
    }

    @Test func `numbers columns of the same name in several subentities`() throws {
        let statements = try statements([
            EntityDescription("Shape", isAbstract: true),
            EntityDescription("Circle", superentity: "Shape", [.attribute("text", .string)]),
            EntityDescription("Square", superentity: "Shape", [.attribute("text", .string)]),
        ])

        #expect(
            statements[0]
                == "CREATE TABLE ZSHAPE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,"
                + " ZTEXT VARCHAR, ZTEXT1 VARCHAR )")
    }

    @Test func `maintains an R-tree with triggers`() throws {
        let folder = try TemporaryFolder()
        var place = EntityDescription(
            "Place", [.attribute("latitude", .double), .attribute("longitude", .double)])
        place.fetchIndexes = [
            FetchIndexDescription(
                "where",
                elements: [
                    .init(.property("latitude"), type: .rTree),
                    .init(.property("longitude"), type: .rTree),
                ])
        ]
        let subject = try SavingStore([place], in: folder)

        try subject.insert(
            try subject.row("Place", 1, ["latitude": 1.0, "longitude": 2.0]),
            try subject.row("Place", 2))
        try subject.save(
            SaveRequest(updated: [try subject.update("Place", 1, from: 1, ["latitude": 5.0])]))

        #expect(
            try subject.sql("SELECT Z_PK FROM Z_RT_Place_where WHERE ZLATITUDE_MIN >= 4") == ["1"])
        #expect(try subject.sql("SELECT count(*) FROM Z_RT_Place_where") == ["1"])
    }

    @Test func `has triggers maintain derived counts and saves compute other derived values`()
        throws
    {
        let folder = try TemporaryFolder()
        var count = AttributeDescription("count", .integer64)
        count.derivation = Derivation(expression: "tracks.@count")
        var search = AttributeDescription("search", .string)
        search.derivation = Derivation(expression: "canonical:(name)")
        let subject = try SavingStore(
            [
                EntityDescription(
                    "Album",
                    [
                        .attribute("name", .string), .attribute(count), .attribute(search),
                        .toMany("tracks", "Track", inverse: "album"),
                    ]),
                EntityDescription("Track", [.toOne("album", "Album", inverse: "tracks")]),
            ], in: folder)
        let album = try subject.id("Album", 1)

        try subject.insert(
            try subject.row("Track", 1, ["album": .objectID(album)]),
            try subject.row("Album", 1, ["name": "Ágætis"]))
        let outcome = try subject.insert(
            try subject.row("Track", 2, ["album": .objectID(album)]))

        #expect(outcome.recomputed.ids == [album])
        #expect(try subject.sql("SELECT ZCOUNT || ZSEARCH FROM ZALBUM") == ["2agætis"])
    }
}
