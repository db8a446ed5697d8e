import Cairn
import CairnTestSupport
import Foundation
import Testing

/// Tests the columns of `cairn store query`, including to-manys, and the messages about wrong columns.
@Suite struct `Queries` {
    private static let fixture = Repository.file("Fixtures/Trails.sqlite").path

    private func query(_ entity: String, _ rest: String...) throws -> ToolRun {
        try ToolRun(["store", "query", Self.fixture, "--entity", entity] + rest)
    }

    @Test func `show every stored property, and the number of members`() throws {
        let run = try query("Trail", "--limit", "2")

        #expect(run.exitCode == 0, "\(run.errorText)")
        #expect(
            run.text == """
                +---------+-------------+------------+---------------+------+-------+-----------+
                | object  | isWaymarked | kilometres | name          | tags | walks | waypoints |
                +---------+-------------+------------+---------------+------+-------+-----------+
                | Trail/1 | false       |        9.6 | Iron traverse |    1 |    12 |         4 |
                | Trail/2 | false       |       30.7 | Ursa loop     |    0 |     6 |         2 |
                +---------+-------------+------------+---------------+------+-------+-----------+


                """)
    }

    @Test func `name as many members as asked for`() throws {
        let two = try query("Trail", "--select", "waypoints", "--members", "2", "--limit", "1")
        let all = try query(
            "Trail", "--select", "SELF,waypoints", "--members", "all", "--limit", "1", "--format",
            "json")
        let number = try query(
            "Trail", "--select", "waypoints", "--limit", "1", "--format", "json")

        #expect(two.text.contains("| Summit/552 Hut/766 +2 more |"), "\(two.text)\(two.errorText)")
        #expect(
            all.text == """
                {"object":"Trail/1","waypoints":{"count":4,"objects":["Summit/552","Hut/766",\
                "Summit/371","Summit/301"]}}

                """, "\(all.text)\(all.errorText)")
        #expect(number.text == "{\"waypoints\":{\"count\":4}}\n")
    }

    @Test func `are explained, with the work of the engine and the rows that it reads`() throws {
        let run = try query("Trail", "--where", "kilometres > 9000", "--limit", "2", "--explain")
        let both = try query("Trail", "--count", "--explain")

        let lines = run.text.split(separator: "\n").map(String.init)
        #expect(run.exitCode == 0, "\(run.errorText)")
        #expect(lines.count == 4)
        #expect(lines.first?.hasPrefix("SQLite ") == true)
        #expect(lines.dropFirst().first == "  by the engine: kilometres > 9000.0, offset and limit")
        #expect(lines.last?.hasSuffix(" read, 0 returned, 0 matched") == true, "\(run.text)")
        #expect(both.errorText.contains("Give either --count or --explain."))
    }

    @Test func `follow to-ones`() throws {
        let run = try query(
            "Photo", "--select", "walk.walker.name, walk.trail,walk.walker.friends", "--sort",
            "walk.walker.name,takenAt:desc", "--limit", "2", "--format", "csv")
        let ofNone = try query(
            "Hut", "--select", "name,keeper.name,keeper.walks", "--where", "keeper == nil",
            "--limit", "1", "--format", "json")

        #expect(run.exitCode == 0, "\(run.errorText)")
        #expect(run.text.hasPrefix("walk.walker.name,walk.trail,walk.walker.friends\nAda "))
        #expect(ofNone.exitCode == 0, "\(ofNone.errorText)")
        if !ofNone.text.isEmpty {
            #expect(ofNone.text.contains("\"keeper.name\":null"))
            #expect(ofNone.text.contains("\"keeper.walks\":null"))
        }
    }

    @Test func `give the same values along a path as a query of the destination`() throws {
        let paths = try query(
            "Photo", "--select", "walk,walk.minutes", "--limit", "600", "--format", "csv")
        let walks = try query("Walk", "--select", "SELF,minutes", "--format", "csv")

        let known = Set(walks.text.split(separator: "\n").dropFirst())
        let found = paths.text.split(separator: "\n").dropFirst()
        #expect(found.count == 600)
        #expect(found.allSatisfy(known.contains))
    }

    @Test(arguments: [
        ("walkr", "Photo has no property “walkr”. Did you mean “walk”?"),
        ("walk.minute", "Walk has no property “minute”. Did you mean “minutes”?"),
        ("caption.length", "Photo.caption has no “length”, because values of its type, string,"),
        (
            "walk.photos.caption",
            "“walk.photos.caption” is not a column: Walk.photos has several members. Select"
                + " “walk.photos” with --members, or query Photo."
        ),
        ("walk.", "Walk has no property “”."),
    ])
    func `report what is wrong with a column`(_ path: String, _ message: String) throws {
        let run = try query("Photo", "--select", path)

        #expect(run.exitCode == 1)
        #expect(run.output.isEmpty)
        #expect(run.errorText.contains(message), "\(run.errorText)")
    }

    @Test(arguments: ["-1", "few", ""])
    func `refuse an invalid number of members`(_ number: String) throws {
        let run = try query("Trail", "--members", number)

        #expect(run.exitCode == 2)
    }

    @Test func `show elements of composites, and control characters as symbols`() throws {
        let folder = try TemporaryFolder()
        let store = folder.file("Places.sqlite")
        var address = AttributeDescription("address", .composite)
        address.compositeName = "Address"
        var description = ModelDescription([
            EntityDescription("Shop", [.attribute("name", .string), .attribute(address)])
        ])
        description.composites = [
            CompositeDescription("Address", [AttributeDescription("city", .string)])
        ]
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel(description))
        let added = try coordinator.addPersistentStore(ofType: .sqlite, at: store)
        try ContextHandle(source: coordinator).performAndWait { context in
            let shop = try context.insertNewObject(forEntityName: "Shop")
            try shop.setValue("\u{1B}[2Jred\u{202E}\r\nline", forKey: "name")
            try shop.setValue(["city": "Graz"], forKey: "address")
            try context.save()
        }
        try coordinator.remove(added)
        let query = ["store", "query", store.path, "--entity", "Shop", "--select"]

        let table = try ToolRun(query + ["name,address.city"])
        let wrong = try ToolRun(query + ["address.town"])

        #expect(table.text.contains("| ␛[2Jred� line | Graz         |"), "\(table.text)")
        #expect(wrong.errorText.contains("Address has no property “town”"), "\(wrong.errorText)")
    }
}
