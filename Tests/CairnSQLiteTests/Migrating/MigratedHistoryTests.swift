import CairnModel
import CairnRows
import CairnStore
import CairnTestSupport
import Foundation
import Testing

@testable import CairnSQLite

@Suite struct `Persistent history of a store migrated in place` {
    /// Core Data's statements that create the tables, without indexes.
    private static let tables = """
        CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
        ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, \
        ZCOLUMNS BLOB, ZTOMBSTONE0 BLOB );
        CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
        ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, \
        ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, \
        ZPROCESSID VARCHAR, ZQUERYGEN BLOB );
        CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
        ZNAME VARCHAR );
        INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 0), (16002, 'TRANSACTION', 0, 0), \
        (16003, 'TRANSACTIONSTRING', 0, 0);
        """

    /// Saves changes of a book, an agent and a tag into a store with history, and migrates the store.
    private func subject(_ changes: Change...) throws -> MigrationSubject {
        let subject = try MigrationSubject(
            LibraryModel.entities, changes.reduce(LibraryModel.entities) { $1.apply($0) })
        let filling = try SavingStore(subject.request(subject.changes.old))
        try filling.insert(
            filling.row("Book", 51), filling.row("Tag", 52), filling.row("Tag", 54))
        try filling.store.close()
        try subject.run(Self.tables)
        let store = try SavingStore(subject.request(subject.changes.old))
        try store.save(
            SaveRequest(
                updated: [
                    store.update("Book", 51, from: 1, ["title": .string("new"), "pages": 3]),
                    store.update("Tag", 52, from: 1, ["word": .string("new")]),
                ],
                pairs: [
                    PairChange(
                        .insert,
                        try #require(try store.entity("Book").relationship(named: "tags")),
                        owner: store.id("Book", 51), member: store.id("Tag", 54))
                ]))
        try store.insert(store.row("Agent", 53))
        try store.store.close()
        return subject
    }

    /// Returns the entity, the type and the property bits of each change.
    private func changes(in subject: MigrationSubject) throws -> [String?] {
        let connection = try SQLiteConnection(
            path: subject.url.path, mode: .readOnly, location: .file(subject.url))
        let select = try connection.statement(
            "SELECT p.Z_NAME || ' ' || ZCHANGETYPE || ' ' || ifnull(hex(ZCOLUMNS), '')"
                + " FROM ACHANGE JOIN Z_PRIMARYKEY AS p ON p.Z_ENT = ZENTITY ORDER BY ACHANGE.Z_PK")
        var result: [String?] = []
        while try select.step() { result.append(select.text(at: 0)) }
        return result
    }

    /// Returns the bits that a save of the same changes records after the migration.
    private func bits(of entity: String, _ properties: Set<String>, _ subject: MigrationSubject)
        throws
        -> String
    {
        let store = try SavingStore(subject.request(subject.changes.new))
        defer { try? store.store.close() }
        let known = store.store.knownHistory.withLock { $0 }
        let tables = try #require(known.tables)
        let schema = try #require(
            store.store.schema.map.schema(of: try store.entity(entity)))
        var slots = SlotSet()
        for (index, slot) in schema.slots.enumerated() where properties.contains(slot.property.name)
        {
            slots.insert(index)
        }
        return ChangeMap(schema, tables.catalog).bits(slots, properties)
            .map { String(format: "%02X", $0) }.joined()
    }

    @Test func `has the new entity numbers, and changed-property bits for the same properties`()
        throws
    {
        let subject = try subject(
            .add(EntityDescription("Aardvark", [.attribute("kind", .string)])),
            .add(.attribute("isbn", .string), to: "Book"), .remove("price", of: "Book"),
            .renameAttribute("title", of: "Book", to: "name"), .remove("related", of: "Tag"))
        let before = try changes(in: subject)

        let isMigrated = try subject.migrate()

        try #require(isMigrated)
        let book = try bits(of: "Book", ["name", "pages", "tags"], subject)
        let tag = try bits(of: "Tag", ["word"], subject)
        let after = try changes(in: subject)
        #expect(after == ["Book 1 \(book)", "Tag 1 \(tag)", "Agent 0 "])
        #expect(after != before)
    }

    @Test func `loses the changes of removed entities`() throws {
        let subject = try subject(
            .remove("Agent"), .remove("agent", of: "Author"),
            .add(EntityDescription("Actor", [.attribute("role", .string)])))

        let isMigrated = try subject.migrate()

        try #require(isMigrated)
        let after = try changes(in: subject)
        #expect(after.map { $0?.prefix(4) } == ["Book", "Tag "])
    }

    @Test func `has a transaction whose author names the old version`() throws {
        let subject = try subject(.add(.attribute("isbn", .string), to: "Book"))

        let isMigrated = try subject.migrate()

        try #require(isMigrated)
        let store = try SavingStore(subject.request(subject.changes.new))
        let author = try store.sql(
            "SELECT s.ZNAME FROM ATRANSACTION AS t JOIN ATRANSACTIONSTRING AS s"
                + " ON s.Z_PK = t.ZAUTHORTS ORDER BY t.Z_PK DESC LIMIT 1")
        let keys = try store.sql("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16002")
        try store.store.close()
        let digest = subject.changes.old.versionHashesDigest
        #expect(
            author == [
                "com.apple.coredata.schemamigrator: lightweight migration from model with digest"
                    + " { \(digest) }"
            ])
        #expect(keys == ["3"])
    }

    @Test func `gets a column for each attribute that is preserved`() throws {
        let subject = try subject(
            .attribute("title", of: "Book") { $0.preservesValueInHistoryOnDeletion = true },
            .attribute("genre", of: "Novel") { $0.preservesValueInHistoryOnDeletion = true })

        let isMigrated = try subject.migrate()

        try #require(isMigrated)
        #expect(try StoreSchema(subject.url).contains("ACHANGE.ZTOMBSTONE1 BLOB "))
    }

    @Test func `needs migration by copy if tombstones would refer to other attributes`() throws {
        let subject = try subject(
            .attribute("title", of: "Book") { $0.preservesValueInHistoryOnDeletion = true })
        try subject.run("UPDATE ACHANGE SET ZTOMBSTONE0 = x'00' WHERE ZENTITY = 3")

        let isMigrated = try subject.migrate()

        #expect(!isMigrated)
    }
}
