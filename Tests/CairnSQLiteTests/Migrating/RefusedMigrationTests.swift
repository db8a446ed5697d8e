import CairnModel
import CairnStore
import CairnTestSupport
import Foundation
import MigrationSupport
import Testing

@testable import CairnSQLite

@Suite struct `Migration in place, refused` {
    private func findings(of subject: MigrationSubject) throws -> [InferenceFinding] {
        do {
            _ = try SQLiteStore.migrateInPlace(
                subject.request(subject.changes.new), subject.changes, defersCleanup: false
            ) { _, _ in true }
            return []
        } catch .migrationRefused(let location, let findings) {
            #expect(location == .file(subject.url))
            return findings
        }
    }

    /// Checks that the store can still be used with the old version.
    private func checkUntouched(_ subject: MigrationSubject) throws {
        let store = try SQLiteStore.open(subject.request(subject.changes.old))
        let objects = try StoreImage(store)
        try store.close()
        #expect(objects == subject.before)
    }

    @Test func `names the entities and properties whose values are not unique`() throws {
        let subject = try MigrationSubject(
            LibraryModel.entities,
            LibraryModel.changed(
                LibraryModel.entities, .add(.attribute("isbn", .string), to: "Book"),
                .entity("Tag") { $0.uniquenessConstraints = [["word"]] },
                .entity("Chapter") { $0.uniquenessConstraints = [["heading", "book"]] },
                .entity("Book") { $0.uniquenessConstraints = [["title"]] }))
        try subject.run(
            "UPDATE ZTAG SET ZWORD = 'same'; UPDATE ZCHAPTER SET ZHEADING = 'h', ZBOOK = 1")

        let findings = try findings(of: subject)

        #expect(Set(findings.map(\.entity)) == ["Tag", "Chapter"])
        #expect(findings.first { $0.entity == "Tag" }?.property == "word")
        #expect(
            findings.contains { $0.reason.contains("the same heading, book, which must now be") })
        let columns = try StoreSchema(subject.url)
        #expect(columns.contains("ZBOOK.ZISBN VARCHAR ") == false)
    }

    @Test func `names entities that have become abstract but have objects`() throws {
        let subject = try MigrationSubject(
            LibraryModel.entities,
            LibraryModel.changed(LibraryModel.entities, .entity("Book") { $0.isAbstract = true }))

        let findings = try findings(of: subject)

        #expect(findings.map(\.entity) == ["Book"])
        try checkUntouched(subject)
    }

    @Test func `allows an entity that has become abstract if it has no objects`() throws {
        let subject = try MigrationSubject(
            LibraryModel.entities,
            LibraryModel.changed(LibraryModel.entities, .entity("Book") { $0.isAbstract = true }))
        try subject.run("DELETE FROM ZBOOK WHERE Z_ENT = 3")

        let isMigrated = try subject.migrate()

        #expect(isMigrated)
    }

    @Test func `is refused while the store is open`() throws {
        let subject = try MigrationSubject(
            LibraryModel.entities,
            LibraryModel.changed(
                LibraryModel.entities, .add(.attribute("isbn", .string), to: "Book")))
        let store = try SQLiteStore.open(subject.request(subject.changes.old))
        defer { try? store.close() }

        #expect {
            try subject.migrate()
        } throws: { error in
            if case .locked(_, "this process")? = error as? StoreError { true } else { false }
        }
    }

    @Test func `refuses a store of another version and a read-only one`() throws {
        let subject = try MigrationSubject(
            LibraryModel.entities,
            LibraryModel.changed(
                LibraryModel.entities, .add(.attribute("isbn", .string), to: "Book")))
        let other = ModelCorrespondence(from: subject.changes.new, to: subject.changes.old)
        var readOnly = subject.request(subject.changes.new)
        readOnly.isReadOnly = true

        #expect {
            try SQLiteStore.migrateInPlace(readOnly, subject.changes, defersCleanup: false) {
                _, _ in true
            }
        } throws: { error in
            if case .readOnly? = error as? StoreError { true } else { false }
        }
        #expect {
            try SQLiteStore.migrateInPlace(
                subject.request(subject.changes.old), other, defersCleanup: false
            ) { _, _ in
                true
            }
        } throws: { error in
            if case .modelMismatch? = error as? StoreError { true } else { false }
        }
        try checkUntouched(subject)
    }

    // MARK: Changes that require copying

    private static let copied: [MigrationCase] = [
        MigrationCase(
            "a to-one becomes to-many",
            .relationship("author", of: "Book") { ($0.isToMany, $0.maximumCount) = (true, 0) }),
        MigrationCase(
            "a subentity becomes a root",
            from: LibraryModel.changed(LibraryModel.entities, .remove("note", of: "Comic")),
            .entity("Comic") { $0.superentity = nil }),
        MigrationCase(
            "a many-to-many gets an inverse",
            from: LibraryModel.changed(
                LibraryModel.entities, .add(.toMany("wishes", "Book"), to: "Author")),
            .relationship("wishes", of: "Author") { $0.inverse = "wishedBy" },
            .add(.toMany("wishedBy", "Author", inverse: "wishes"), to: "Book")),
        MigrationCase(
            "a to-one gets a to-one inverse",
            .relationship("sequelTo", of: "Book") { $0.inverse = "sequel" },
            .add(.toOne("sequel", "Book", inverse: "sequelTo"), to: "Book")),
        MigrationCase(
            "a derived attribute is added that is no count",
            .add(.attribute(lowered), to: "Book")),
        MigrationCase(
            "values are kept in files from now on",
            from: LibraryModel.changed(
                LibraryModel.entities, .add(.attribute("scan", .binary), to: "Book")),
            .attribute("scan", of: "Book") { $0.allowsExternalBinaryDataStorage = true }),
    ]

    private static let lowered: AttributeDescription = {
        var attribute = AttributeDescription("lowered", .string)
        attribute.derivation = Derivation(expression: "canonical:(title)")
        return attribute
    }()

    @Test(arguments: copied)
    func `leaves changes that move rows or pairs to migration by copy`(_ change: MigrationCase)
        throws
    {
        let subject = try MigrationSubject(change.old, change.new)
        let bytes = try Data(contentsOf: subject.url)

        let steps = SQLiteStore.stepsInPlace(
            subject.changes, configuration: nil, defersCleanup: false)
        let isMigrated = try subject.migrate()

        let after = try Data(contentsOf: subject.url)
        #expect(steps == nil)
        #expect(!isMigrated)
        #expect(bytes == after)
    }

    @Test func `leaves a conflict with another program's column or view to migration by copy`()
        throws
    {
        let new = LibraryModel.changed(
            LibraryModel.entities, .add(.attribute("isbn", .string), to: "Book"),
            .remove("title", of: "Book"))
        let inTheWay = try MigrationSubject(LibraryModel.entities, new)
        try inTheWay.run("ALTER TABLE ZBOOK ADD COLUMN zIsbn TEXT")
        let withView = try MigrationSubject(LibraryModel.entities, new)
        try withView.run("CREATE VIEW titles AS SELECT ZTITLE FROM ZBOOK")

        let results = [try inTheWay.migrate(), try withView.migrate()]

        #expect(results == [false, false])
        try checkUntouched(inTheWay)
        try checkUntouched(withView)
    }

    @Test func `keeps tables, columns, indexes and triggers of another program`() throws {
        let subject = try MigrationSubject(
            LibraryModel.entities,
            LibraryModel.changed(
                LibraryModel.entities, .rename("Book", to: "Volume"),
                .renameAttribute("title", of: "Volume", to: "name"),
                .remove("pages", of: "Volume")))
        try subject.run(
            """
            CREATE TABLE OTHER (A, B); INSERT INTO OTHER VALUES (1, 2);
            ALTER TABLE ZBOOK ADD COLUMN EXTRA TEXT; UPDATE ZBOOK SET EXTRA = 'kept';
            CREATE INDEX MINE ON ZBOOK (EXTRA, ZTITLE);
            CREATE TRIGGER NOTICE AFTER UPDATE OF ZTITLE ON ZBOOK
            BEGIN UPDATE OTHER SET A = A + 1; END;
            """)

        let isMigrated = try subject.migrate()

        try #require(isMigrated)
        let reader = try SavingStore(subject.request(subject.changes.new))
        let kept = try reader.sql("SELECT count(*) FROM ZVOLUME WHERE EXTRA = 'kept'")
        let parts = try reader.sql(
            "SELECT sql FROM sqlite_master WHERE name IN ('MINE', 'NOTICE') ORDER BY name")
        try reader.store.close()
        #expect(kept == ["12"])
        #expect(parts[0] == "CREATE INDEX MINE ON \"ZVOLUME\" (EXTRA, ZNAME)")
        #expect(parts[1]?.contains("AFTER UPDATE OF ZNAME ON \"ZVOLUME\"") == true)
    }
}
