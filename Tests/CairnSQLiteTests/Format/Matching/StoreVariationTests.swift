import CairnModel
import CairnStore
import CairnTestSupport
import Foundation
import Testing

@testable import CairnSQLite

/// Stores that differ from Cairn's in the ways in which other programs, other versions and the migrations
/// of a store make them differ. All of them can be opened and read.
@Suite struct `A store that differs from ours` {
    private static let entities: [EntityDescription] = {
        var photo = AttributeDescription("photo", .binary)
        photo.allowsExternalBinaryDataStorage = true
        return [
            EntityDescription(
                "Owner", [.toMany("things", "Thing", inverse: "owner", isOrdered: true)]),
            EntityDescription(
                "Thing",
                [
                    .attribute("name", .string, isOptional: false),
                    .attribute("number", .integer64), .attribute("price", .decimal),
                    .attribute("link", .uri), .attribute(photo),
                    .toOne("owner", "Owner", inverse: "things"),
                ]),
            EntityDescription("Book", superentity: "Thing"),
        ]
    }()

    /// Returns a store with an owner of two things, altered and reopened.
    private func altered(
        _ statements: [String], _ folder: TemporaryFolder, isReadOnly: Bool = false
    ) throws -> SavingStore {
        let made = try SavingStore(Self.entities, in: folder)
        let owner: Value = .objectID(try made.id("Owner", 1))
        try made.insert(
            try made.row("Owner", 1),
            try made.row("Thing", 1, ["name": "one", "number": 1, "owner": owner]),
            try made.row("Book", 2, ["name": "two", "number": 2, "owner": owner]))
        try made.store.close()
        let connection = try SQLiteConnection(
            path: made.url.path, mode: .readWrite, location: .file(made.url))
        for statement in statements { try connection.execute(statement) }
        var request = made.store.request
        request.createsMissing = false
        request.isReadOnly = isReadOnly
        return try SavingStore(request)
    }

    /// Returns the value of an attribute or to-one relationship in each row of `Thing` and `Book`, by key.
    private func values(_ name: String, _ subject: SavingStore) throws -> [Int64: Value] {
        let snapshot = try subject.store.snapshot()
        let cursor = try snapshot.cursor(FetchPlan(entity: try subject.entity("Thing")))
        var values: [Int64: Value] = [:]
        while let batch = try cursor.next(atMost: 10) {
            for row in batch.rows {
                let layout = try #require(subject.store.request.layouts.layout(of: row.entity))
                let slot = try #require(layout.slot(named: name))
                values[row.key] = row.value(slot)
            }
        }
        return values
    }

    private static let alterations: [[String]] = [
        // Metadata.
        ["UPDATE Z_METADATA SET Z_PLIST = NULL"],
        ["UPDATE Z_METADATA SET Z_PLIST = x''"],
        ["DROP TABLE Z_MODELCACHE"], ["DELETE FROM Z_MODELCACHE"],
        ["UPDATE Z_MODELCACHE SET Z_CONTENT = x'00'"],
        ["UPDATE Z_PRIMARYKEY SET Z_MAX = NULL"],
        // Additions by other programs and by other features of Core Data.
        ["ALTER TABLE ZTHING ADD COLUMN ZEXTRA VARCHAR"],
        ["CREATE TABLE ANSCKRECORDMETADATA (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER)"],
        [
            "INSERT INTO Z_PRIMARYKEY VALUES (17001, 'NSCKRecordMetadata', 0, 0)",
            "INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 0)",
        ],
        ["CREATE VIEW things AS SELECT * FROM no_such_table"],
        ["CREATE TRIGGER t AFTER DELETE ON ZTHING BEGIN SELECT no_such_function(OLD.Z_PK); END"],
        ["CREATE INDEX other ON ZTHING (ZNAME COLLATE NOCASE DESC) WHERE ZNUMBER > 1"],
        // Remnants of migrations in place.
        [
            "UPDATE Z_PRIMARYKEY SET Z_ENT = Z_ENT + 4",
            "UPDATE ZTHING SET Z_ENT = Z_ENT + 4", "UPDATE ZOWNER SET Z_ENT = Z_ENT + 4",
        ],
        ["DROP INDEX ZTHING_ZOWNER_INDEX", "DROP INDEX ZTHING_Z_ENT_INDEX"],
        // Values.
        ["UPDATE ZTHING SET Z_FOK_OWNER = NULL"],
        ["UPDATE ZTHING SET Z_OPT = NULL"],
    ]

    @Test(arguments: alterations)
    func `is read unchanged`(_ statements: [String]) throws {
        let folder = try TemporaryFolder()
        let subject = try altered(statements, folder, isReadOnly: true)

        let names = try values("name", subject)
        let counts = try SQLiteStore.entityCounts(at: subject.store.request.location)
        let disagreements = try subject.store.findDisagreements()

        #expect(names == [1: "one", 2: "two"])
        #expect(counts == ["Owner": 1, "Thing": 1, "Book": 1])
        // These are read, and reported.
        let isReported = statements.contains {
            $0.contains("Z_MAX = NULL") || $0.contains("Z_OPT = NULL")
        }
        #expect(disagreements.isEmpty != isReported)
        try subject.store.close()
    }

    @Test(arguments: [
        ("UPDATE ZTHING SET ZNAME = NULL", "name", Value.null),
        ("UPDATE ZTHING SET ZNUMBER = NULL", "number", .null),
        ("UPDATE ZTHING SET ZLINK = ''", "link", .null),
        ("UPDATE ZTHING SET ZPHOTO = x''", "photo", .binary(Data())),
        ("UPDATE ZTHING SET ZPHOTO = x'616263'", "photo", .binary(Data("abc".utf8))),
        ("UPDATE ZTHING SET ZPHOTO = x'01616263'", "photo", .binary(Data("abc".utf8))),
    ])
    func `has its values read`(_ statement: String, _ name: String, _ value: Value) throws {
        let folder = try TemporaryFolder()
        let subject = try altered([statement], folder)

        let values = try values(name, subject)

        #expect(values == [1: value, 2: value])
        try subject.store.close()
    }

    @Test func `has an integer read from a column of fractional numbers`() throws {
        let folder = try TemporaryFolder()
        let subject = try altered(
            [
                "ALTER TABLE ZTHING RENAME COLUMN ZNUMBER TO ZOLD",
                "ALTER TABLE ZTHING ADD COLUMN ZNUMBER FLOAT", "UPDATE ZTHING SET ZNUMBER = 3.0",
            ], folder)

        let values = try values("number", subject)

        #expect(values == [1: 3, 2: 3])
        try subject.store.close()
    }

    @Test func `can have an entity that was renamed twice`() throws {
        let folder = try TemporaryFolder()
        let subject = try altered(
            ["UPDATE Z_PRIMARYKEY SET Z_NAME = 'Tome' WHERE Z_NAME = 'Book'"], folder)

        let names = try values("name", subject)
        let counts = try SQLiteStore.entityCounts(at: subject.store.request.location)

        #expect(names == [1: "one", 2: "two"])
        #expect(counts == ["Owner": 1, "Thing": 1, "Book": 1])
        try subject.store.close()
    }

    @Test func `can have dangling references, which are read unchanged`() throws {
        let folder = try TemporaryFolder()
        let subject = try altered(["UPDATE ZTHING SET ZOWNER = 77 WHERE Z_PK = 1"], folder)

        let owners = try values("owner", subject)

        guard case .objectID(let gone)? = owners[1] else {
            Issue.record("no reference")
            return
        }
        #expect(gone.key == 77)
        try subject.store.close()
    }

    @Test func `can have a row without a version saved and deleted`() throws {
        let folder = try TemporaryFolder()
        let subject = try altered(["UPDATE ZTHING SET Z_OPT = NULL"], folder)

        try subject.save(
            SaveRequest(updated: [try subject.update("Thing", 1, from: 1, ["name": "new"])]))
        try subject.save(
            SaveRequest(deleted: [
                RowDeletion(id: try subject.id("Book", 2), previousVersion: 1)
            ]))

        #expect(try subject.sql("SELECT Z_OPT || ZNAME FROM ZTHING") == ["2new"])
        try subject.store.close()
    }

    @Test func `opens without hashes if the model has more entities`() throws {
        let folder = try TemporaryFolder()
        let subject = try altered(["UPDATE Z_METADATA SET Z_PLIST = NULL"], folder)
        try subject.store.close()
        let model = try ManagedObjectModel(Self.entities + [EntityDescription("Aaa")])

        let store = try SQLiteStore.open(
            OpenRequest(location: subject.store.request.location, model: model))

        let count = try store.snapshot().count(
            FetchPlan(entity: try #require(model.entity(named: "Thing"))))
        #expect(count == 2)
        try store.close()
    }

    @Test func `is refused without hashes if the model lacks an entity and has another`() throws {
        let folder = try TemporaryFolder()
        let subject = try altered(["UPDATE Z_METADATA SET Z_PLIST = NULL"], folder)
        try subject.store.close()
        let others = Self.entities.filter { $0.name != "Book" }
        let model = try ManagedObjectModel(others + [EntityDescription("Aaa")])
        let request = OpenRequest(location: subject.store.request.location, model: model)

        let error = #expect(throws: StoreError.self) { try SQLiteStore.open(request) }

        guard case .modelMismatch(_, let differences)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(differences.map(\.entity) == ["Aaa"])
    }

    @Test func `can have only a configuration's entities, and opens with the model inside it`()
        throws
    {
        let folder = try TemporaryFolder()
        var description = ModelDescription(Self.entities + [EntityDescription("Zebra")])
        description.configurations = ["Things": ["Owner", "Thing", "Book"]]
        let model = try ManagedObjectModel(description)
        let location = StoreLocation.file(folder.file("part.sqlite"))
        let made = try SQLiteStore.open(
            OpenRequest(location: location, model: model, configuration: "Things"))
        try made.close()
        let connection = try SQLiteConnection(
            path: folder.file("part.sqlite").path, mode: .readWrite, location: location)
        var metadata = try MetadataTable(connection: connection).read().entityVersionHashes
        metadata["Zebra"] = nil
        try MetadataTable(connection: connection).set([
            "NSStoreModelVersionHashes": .dictionary(metadata.mapValues { .data($0.data) })
        ])

        let store = try SQLiteStore.open(
            OpenRequest(location: location, model: model, createsMissing: false))
        let count = try store.snapshot().count(
            FetchPlan(entity: try #require(model.entity(named: "Zebra"))))

        #expect(count == 0)
        try store.close()
    }
}
