import CairnModel
import CairnTestSupport
import Foundation
import Testing

@testable import CairnSQLite

@Suite struct `Cost of migration in place` {
    /// Returns a store with `count` additional chapters.
    private func subject(_ count: Int, _ changes: Change...) throws -> MigrationSubject {
        let subject = try MigrationSubject(
            LibraryModel.entities, changes.reduce(LibraryModel.entities) { $1.apply($0) })
        try subject.run(
            """
            WITH RECURSIVE n(i) AS (SELECT 101 UNION ALL SELECT i + 1 FROM n WHERE i < \(100 + count))
            INSERT INTO ZCHAPTER (Z_PK, Z_ENT, Z_OPT, ZHEADING, ZBOOK)
            SELECT i, 6, 1, 'heading ' || i, 1 + i % 12 FROM n
            """)
        return subject
    }

    private func pages(_ file: URL) throws -> [Data] {
        let data = try Data(contentsOf: file)
        return stride(from: 0, to: data.count, by: 4096).map {
            data.subdata(in: $0..<min($0 + 4096, data.count))
        }
    }

    /// Returns how many pages of the file the migration wrote.
    private func writtenPages(_ subject: MigrationSubject) throws -> Int {
        let before = try pages(subject.url)
        let isMigrated = try subject.migrate()
        let after = try pages(subject.url)
        try #require(isMigrated)
        let changed = zip(before, after).filter { $0 != $1 }.count
        return changed + abs(after.count - before.count)
    }

    private static let cheap: [MigrationCase] = [
        MigrationCase("an attribute is added", .add(.attribute("note", .string), to: "Chapter")),
        MigrationCase(
            "an attribute is renamed", .renameAttribute("heading", of: "Chapter", to: "title")),
        MigrationCase("another entity is renamed", .rename("Tag", to: "Word")),
        MigrationCase("an entity is added behind", .add(EntityDescription("Zebra"))),
    ]

    @Test(arguments: cheap)
    func `does not grow with rows that are unchanged`(_ change: MigrationCase) throws {
        let apply = Change { _ in change.new }

        let few = try writtenPages(try subject(10, apply))
        let many = try writtenPages(try subject(5_000, apply))

        #expect(many <= few + 3)
    }

    @Test func `grows with rows that are renumbered`() throws {
        let change = Change.add(EntityDescription("Aardvark"))

        let few = try writtenPages(try subject(10, change))
        let many = try writtenPages(try subject(5_000, change))

        // The rows of the 5,000 chapters fill 33 pages.
        #expect(many > few + 25)
    }

    /// Prints how long changes of a large store take. Run with:
    ///
    ///     CAIRN_LARGE_STORE=1000000 swift test --skip-build --filter 'Cost of migration in place'
    @Test(.enabled(if: TestSetting.text("CAIRN_LARGE_STORE") != nil))
    func `is printed for a large store`() throws {
        let count = try #require(TestSetting.text("CAIRN_LARGE_STORE").flatMap(Int.init))
        let changes: [(String, Change)] = [
            ("an optional attribute is added", .add(.attribute("note", .string), to: "Chapter")),
            ("an attribute is renamed", .renameAttribute("heading", of: "Chapter", to: "title")),
            (
                "an attribute with a default value is added",
                .add(
                    .attribute("size", .integer32, isOptional: false, defaultValue: .integer(1)),
                    to: "Chapter")
            ),
            ("an attribute is removed", .remove("heading", of: "Chapter")),
            ("an entity is added in front", .add(EntityDescription("Aardvark"))),
        ]
        for (name, change) in changes {
            let subject = try subject(count, change)
            let time = try ContinuousClock().measure {
                let isMigrated = try subject.migrate()
                #expect(isMigrated)
            }
            print("\(count) objects, \(name): \(time / .milliseconds(1)) ms")
        }
    }
}
