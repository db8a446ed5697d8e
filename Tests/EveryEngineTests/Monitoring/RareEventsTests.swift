import Cairn
import CairnTestSupport
import CairnTesting
import Foundation
import GraphSupport
import InMemoryLogging
import Logging
import MetricsTestKit
import Testing

/// What an operator should learn of without asking for it, at the level of a log's default.
@Suite struct `A log at its default level` {
    private let log = InMemoryLogHandler()
    private let metrics = TestMetrics()

    private var monitoring: Monitoring {
        let log = log
        // A busy machine is no event.
        return Monitoring(
            logger: Logger(label: "test") { _ in log }, slowOperationThreshold: nil,
            metricsFactory: metrics)
    }

    private var messages: [String] { log.entries.map { "\($0.level): \($0.message)" } }

    @Test(arguments: everyFileEngine)
    func `records a migration`(_ type: StoreType) throws {
        let folder = try TemporaryFolder()
        let text = PropertyDescription.attribute("text", .string)
        let day = PropertyDescription.attribute("day", .date)
        for properties in [[text], [text, day]] {
            let coordinator = PersistentStoreCoordinator(
                managedObjectModel: try ManagedObjectModel([EntityDescription("Note", properties)]))
            coordinator.monitoring = monitoring
            let store = try coordinator.addPersistentStore(
                ofType: type, at: folder.file("notes.store"),
                options: [
                    .migratesAutomatically: .boolean(true), .infersMappingModel: .boolean(true),
                ])
            try coordinator.remove(store)
        }

        #expect(messages == ["notice: Migrated stores to the current version of the model."])
        #expect(log.entries.first?.metadata["stores"]?.description.contains("notes.store") == true)
        let timer = try metrics.expectTimer(
            "cairn.operation.duration", [("operation", "migrate")])
        #expect(timer.values.count == 1)
    }

    @Test func `records a save that is not written to all stores, and its completion`() throws {
        let stack = try SeveralStack(["SQLite", "LMDB"])
        try stack.fill()
        stack.coordinator.monitoring = monitoring
        let faults = stack.faults[0]
        try stack.inContext { context in
            try context.setAll(2)
            faults.fillDisk(at: .commit)
            #expect(throws: GraphError.self) { try context.save() }
            faults.stopFailing()
            try context.refreshAllObjects()
            _ = try context.fetch(FetchRequest<ManagedObject>("Item")).count
        }

        #expect(
            messages == [
                "warning: A save succeeded, but a store has yet to write its part.",
                "notice: Finished a save to several stores that had been interrupted.",
            ])
        #expect(try metrics.expectCounter("cairn.saves.recovered").totalValue == 1)
    }

    @Test(arguments: everyEngine)
    func `says once for each kind of request that a fetch reads far more than it returns`(
        _ type: StoreType
    ) throws {
        let stack = try ItemStack(type)
        try stack.inContext { context in
            for number in 0..<2_100 {
                let item = try context.insertNewObject(forEntityName: "Item")
                try item.setValuesForKeys(["name": "name \(number)", "code": "\(number)"])
            }
            try context.save()
        }
        stack.coordinator.monitoring = monitoring
        let formats = [
            "name == 'name 7'", "name == 'name 8'", "name == 'name 9' OR name == 'name 10'",
            "name == 'secret'", "name BEGINSWITH 'name 1'", "code == '7'",
        ]

        try stack.inContext { context in
            for format in formats {
                _ = try context.fetch(FetchRequest<ManagedObject>("Item", where: format)).count
            }
            _ = try context.fetch(FetchRequest<ManagedObject>("Item", where: "a == 1")).count
        }

        #expect(
            messages
                == Array(
                    repeating: """
                        warning: A fetch read at least 1,000 rows for each object that it returned. An \
                        index may be missing: explain(_:) tells. Requests of this kind have no further \
                        warning.
                        """, count: 2))
        #expect(log.entries.map(\.metadata["condition"]) == ["name", "a"])
        #expect(log.entries.map(\.metadata["objects"]) == ["1", "0"])
        let read = log.entries.compactMap { $0.metadata["rows"].flatMap { Int($0.description) } }
        #expect(read.count == 2 && read.allSatisfy { (2_099...2_100).contains($0) }, "\(read)")
        #expect(!log.entries.contains { "\($0.metadata)".contains("name 7") })
    }

    @Test(arguments: everyEngine)
    func `says nothing of the contexts in which a batch makes its objects`(_ type: StoreType) throws
    {
        let stack = try ItemStack(type)
        stack.coordinator.monitoring = monitoring

        try stack.inContext { context in
            let objects: [[String: Any]] = [["name": "a"], ["name": "b"]]
            try context.execute(BatchInsertRequest(entityName: "Item", objects: objects))
            try context.updateAll(FetchRequest<ManagedObject>("Item")) {
                try $0.setValue(Int64(1), forKey: "a")
            }
        }

        #expect(messages.isEmpty, "\(messages)")
    }

    private static let orderMessage = """
        notice: Several stores accept the same new objects, and only the order of the stores decides: the \
        first store gets them. To choose, give each store a configuration, or call assign(_:to:).
        """

    @Test func `says once that only the order of the stores decided where objects were saved`()
        throws
    {
        let stack = try SeveralStack(["LMDB", "InMemory"])
        stack.coordinator.monitoring = monitoring

        try stack.inContext { context in
            for _ in 0..<2 {
                _ = try context.insertNewObject(forEntityName: "Item")
                try context.save()
            }
        }

        #expect(messages == [Self.orderMessage])
        #expect(log.entries.first?.metadata["entity"] == "Item")
    }

    @Test func `says nothing of the order of the stores if the program chose the store`() throws {
        let stack = try SeveralStack(["LMDB", "InMemory"])
        stack.coordinator.monitoring = monitoring

        try stack.inContext { context in
            let item = try context.insertNewObject(forEntityName: "Item")
            try context.assign(item, to: stack.stores[1])
            try context.save()
        }

        #expect(messages.isEmpty)
    }

    @Test(arguments: everyEngine)
    func `says once that a turn ended with unsaved changes`(_ type: StoreType) throws {
        let folder = try TemporaryFolder()
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel(Library.entities))
        try coordinator.addPersistentStore(
            ofType: type, at: folder.url(of: type, "library.store"))
        coordinator.monitoring = monitoring
        let handle = ContextHandle(coordinator: coordinator, name: "import")
        let child = ContextHandle(parent: handle)

        try handle.performAndWait { context in
            _ = try context.insertNewObject(forEntityName: "Book")
            try context.save()
            #expect(try context.count(for: FetchRequest<ManagedObject>("Book")) == 1)
        }
        try child.performAndWait { context in
            _ = try context.insertNewObject(forEntityName: "Book")
            try context.save()
        }
        #expect(throws: CancellationError.self) {
            try handle.performAndWait { context in
                _ = try context.insertNewObject(forEntityName: "Book")
                throw CancellationError()
            }
        }
        let before = messages
        for _ in 0..<2 {
            try handle.performAndWait { context in
                _ = try context.insertNewObject(forEntityName: "Book")
                _ = try context.count(for: FetchRequest<ManagedObject>("Book"))
            }
        }

        #expect(before.isEmpty)
        #expect(
            messages == [
                "notice: A turn ended with unsaved changes. They are lost if the context ends before it saves them."
            ])
        #expect(log.entries.first?.metadata["context"] == "import")
        #expect(log.entries.first?.metadata["inserted"] == "3")
    }

    @Test func `records a save that the previous process did not finish`() throws {
        let stack = try SeveralStack(["XML", "Binary"])
        try stack.fill()
        let faults = stack.faults[0]
        try stack.inContext { context in
            try context.setAll(2)
            faults.fillDisk(at: .commit)
            #expect(throws: GraphError.self) { try context.save() }
        }
        try stack.close()
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: stack.coordinator.managedObjectModel)
        coordinator.monitoring = monitoring

        for index in [0, 1] {
            try coordinator.addPersistentStore(
                ofType: stack.types[index], at: try stack.url(index))
        }

        #expect(
            messages == ["notice: Finished a save to several stores that had been interrupted."])
    }
}
