import Cairn
import CairnStore
import CairnTestSupport
import Foundation
import Testing

/// Tests `cairn store info`, `query`, `dump` and `verify` with two stores that are shown as one graph.
@Suite struct `Commands on several stores` {
    private let stores: TwoStores

    init() throws { stores = try TwoStores() }

    private func run(_ command: String, _ rest: String...) throws -> ToolRun {
        try ToolRun(["store", command, stores.first.path, stores.second.path] + rest)
    }

    @Test(arguments: [["SQLite", "LMDB"], ["Binary", "XML"]])
    func `verify names the keys that lead to no object of the other store`(
        _ types: [String]
    ) throws {
        var species = EntityDescription("Species", [.attribute("code", .string)])
        species.uniquenessConstraints = [["code"]]
        let sighting = EntityDescription(
            "Sighting",
            [
                .reference("species", .string, to: "Species", by: "code"),
                .reference("seen", to: "Species"),
            ])
        var description = ModelDescription([species, sighting])
        description.configurations = ["Catalogue": ["Species"], "User": ["Sighting"]]
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel(description))
        let urls = zip(types, description.configurations.keys.sorted()).map { type, name in
            (StoreType(type), name, stores.folder.file(name))
        }
        for (type, name, url) in urls {
            try coordinator.addPersistentStore(ofType: type, configurationName: name, at: url)
        }
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            let wren = try context.insertNewObject(forEntityName: "Species")
            try wren.setValue("WREN", forKey: "code")
            for key in ["WREN", "DODO", nil] {
                let sighting = try context.insertNewObject(forEntityName: "Sighting")
                try sighting.setValue(key, forKey: "species")
                if key == "WREN" { try sighting.setValue(wren, forKey: "seen") }
            }
            try context.save()
        }
        for store in coordinator.persistentStores { try coordinator.remove(store) }

        let both = try ToolRun(["store", "verify"] + urls.map(\.2.path))
        let alone = try ToolRun(["store", "verify", urls[1].2.path])

        #expect(both.exitCode == 0, "\(both.errorText)")
        #expect(
            both.text == """
                2:Sighting/2.species: its key leads to no object of Species (allowed: a reference by key has no \
                delete rule)
                sound: 4 objects, 3 references in 2 stores; 1 of the references lead to no object, as allowed

                """)
        #expect(alone.text == "sound: 3 objects, 3 references\n")
    }

    @Test func `dump prints the stores' objects by entity, each with its store's number`() throws {
        let run = try run("dump")

        #expect(run.exitCode == 0, "\(run.errorText)")
        #expect(
            run.text == """
                {"entity":"Buyer","key":1,"store":2,"values":{"orders":["Order/1"]}}
                {"entity":"Item","key":1,"store":1,"values":{"name":"item 1.1","price":10}}
                {"entity":"Item","key":1,"store":2,"values":{"name":"item 1.2","price":15}}
                {"entity":"Order","key":1,"store":2,"values":{"buyer":"Buyer/1","count":1}}

                """)
    }

    @Test func `dump prints the same in other engines, and has each store's own lines`() throws {
        let copies = ["LMDB", "XML"].map { stores.folder.file($0).path }
        _ = try ToolRun(["store", "copy", stores.first.path, copies[0], "--type", "LMDB"])
        _ = try ToolRun(["store", "copy", stores.second.path, copies[1], "--type", "XML"])

        let dump = try run("dump")
        let ofCopies = try ToolRun(["store", "dump"] + copies)
        let alone = try ToolRun(["store", "dump", stores.second.path])

        let own = dump.text.split(separator: "\n").filter { $0.contains("\"store\":2") }
        #expect(ofCopies.exitCode == 0, "\(ofCopies.errorText)")
        #expect(!dump.output.isEmpty && ofCopies.output == dump.output)
        #expect(
            own.map { $0.replacing("\"store\":2,", with: "") } == alone.text.split(separator: "\n"))
    }

    @Test func `query fetches from all stores at once, and names each object's store`() throws {
        let sorted = try run(
            "query", "--entity", "Item", "--sort", "price:desc", "--format", "csv")
        let limited = try run(
            "query", "--entity", "Item", "--sort", "price", "--offset", "1", "--limit", "1",
            "--format", "csv")
        let count = try run("query", "--entity", "Item", "--where", "price > 5", "--count")
        let orders = try run("query", "--entity", "Order", "--format", "json")

        #expect(sorted.exitCode == 0, "\(sorted.errorText)")
        #expect(sorted.text == "object,name,price\n2:Item/1,item 1.2,15\n1:Item/1,item 1.1,10\n")
        #expect(limited.text == "object,name,price\n2:Item/1,item 1.2,15\n")
        #expect(count.text == "2\n")
        #expect(orders.text == "{\"buyer\":\"2:Buyer/1\",\"count\":1,\"object\":\"2:Order/1\"}\n")
    }

    @Test func `verify checks all stores, and names the store of each problem`() throws {
        let sound = try run("verify")
        try breakReference()

        let broken = try run("verify")
        let alone = try ToolRun(["store", "verify", stores.first.path])

        #expect(sound.exitCode == 0, "\(sound.text)\(sound.errorText)")
        #expect(sound.text == "sound: 4 objects, 2 references in 2 stores\n")
        #expect(broken.exitCode == 3)
        #expect(
            broken.text.contains("1:Order/7.buyer: leads to Buyer/9, which does not exist"),
            "\(broken.text)")
        #expect(alone.text.contains("\nOrder/7.buyer: ") || alone.text.hasPrefix("Order/7.buyer: "))
    }

    /// Adds an order whose buyer does not exist to the SQLite store.
    private func breakReference() throws {
        let model = try TwoStores.compiled.get()
        let store = try SQLiteStore.open(
            OpenRequest(location: .file(stores.first), model: model, createsMissing: false))
        defer { try? store.close() }
        let order = try #require(model.entity(named: "Order"))
        let buyer = try #require(model.entity(named: "Buyer"))
        let layout = try #require(store.request.layouts.layout(of: order.number))
        var writer = RowWriter(store: store.number)
        writer.begin(layout, key: 7, version: 1)
        for (property, slot) in zip(layout.properties, layout.slots)
        where property.name == "buyer" {
            writer.set(key: 9, entity: buyer.number, at: slot)
        }
        writer.endRow()
        var request = SaveRequest()
        request.inserted = writer.takeBatch()
        let transaction = try store.beginSave()
        defer { transaction.rollback() }
        _ = try transaction.reserveKeys([order.number: 7])
        try transaction.prepare(request)
        _ = try transaction.commit()
    }

    @Test func `info shows each store and the entities of all`() throws {
        let text = try run("info")
        let json = try run("info", "--json")

        let report = try #require(
            try JSONSerialization.jsonObject(with: json.output) as? [String: Any])
        let entities = try #require(report["entities"] as? [String: [String: Any]])
        let items = text.text.split(separator: "\n").first { $0.contains("Item") }
        #expect(text.exitCode == 0, "\(text.errorText)")
        #expect(text.text.contains("store       1: \(stores.first.path)\ntype        SQLite\n"))
        #expect(text.text.contains("store       2: \(stores.second.path)\ntype        Binary\n"))
        #expect(
            items?.split(separator: "|").prefix(4).map { $0.trimmingCharacters(in: .whitespaces) }
                == ["Item", "2", "1", "1"])
        #expect(entities["Item"]?["count"] as? Int == 2)
        #expect(entities["Item"]?["versionHash"] is String)
        #expect((report["stores"] as? [[String: Any]])?.count == 2)
    }

    @Test(arguments: ["info", "query", "dump", "verify"])
    func `refuse one store under two paths`(_ command: String) throws {
        let link = stores.folder.file("link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: stores.first)

        let rest = command == "query" ? ["--entity", "Item"] : []
        let run = try ToolRun(["store", command, stores.first.path, link.path] + rest)

        #expect(run.exitCode == 1)
        #expect(run.output.isEmpty)
        #expect(run.errorText.contains("the same store, or copies of one store"))
    }

    @Test func `ask for a model if the stores have different ones`() throws {
        let other = stores.folder.file("other")
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel([
                EntityDescription("Item", [.attribute("title", .string)])
            ]))
        try coordinator.addPersistentStore(ofType: .lmdb, at: other)
        try coordinator.removeAll()

        let run = try ToolRun(["store", "dump", stores.first.path, other.path])
        let info = try ToolRun(["store", "info", stores.first.path, other.path])

        #expect(run.exitCode == 1)
        #expect(run.errorText.contains("--model"))
        #expect(info.exitCode == 0, "\(info.errorText)")
        #expect(info.text.contains("differs"))
    }

    @Test func `dump is consistent because it waits for a save over several stores`() throws {
        // Hold the lock that a process holds during such a save, and do not release it.
        let folder = open(stores.folder.url.path, O_RDONLY | O_DIRECTORY)
        defer { close(folder) }
        let isLocked = flock(folder, LOCK_EX | LOCK_NB) == 0

        let both = try run("dump")
        let alone = try ToolRun(["store", "dump", stores.first.path])

        #expect(isLocked)
        #expect(both.exitCode == 1)
        #expect(both.output.isEmpty)
        #expect(alone.exitCode == 0, "\(alone.errorText)")
    }

    @Test func `accept a model for stores that do not contain one`() throws {
        let model = stores.folder.file("Shop.mom").path
        let made = try ToolRun(["model", "compile", stores.first.path, model])

        let dump = try run("dump")
        let other = try run("dump", "--model", model)
        let info = try run("info", "--model", model)

        #expect(made.exitCode == 0, "\(made.errorText)")
        #expect(other.exitCode == 0, "\(other.errorText)")
        #expect(other.output == dump.output)
        #expect(info.exitCode == 0, "\(info.errorText)")
    }
}
