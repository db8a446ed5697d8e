import Cairn
import CairnPostgreSQL
import CairnStore
import CairnTestSupport
import Foundation
import PostgreSQLStoreSupport
import Testing

@Suite(.enabled(if: PostgreSQLHarness.database != nil, "CAIRN_POSTGRESQL names no database"))
struct `Copies of stores` {
    private let database = PostgreSQLHarness.database ?? URL(fileURLWithPath: "/")
    private let schema = "cairn-copy-\(UUID().uuidString.prefix(13))"
    private let folder: TemporaryFolder
    private var url: URL { database.appending(path: schema) }

    init() throws { folder = try TemporaryFolder() }

    private func withSchema(_ body: () throws -> Void) throws {
        defer { try? PostgreSQLStore.removeSchemas(beginningWith: schema, from: database) }
        try body()
    }

    /// The names of the schemas in which stores are being made for the schema of this test.
    private func temporarySchemas() throws -> Int {
        try PostgreSQLStore.temporarySchemaCount(
            at: StoreLocation(url, of: PostgreSQLStore.self))
    }

    private func open(
        _ engine: any PersistentStore.Type, _ location: StoreLocation, _ model: ManagedObjectModel
    ) throws -> any PersistentStore {
        try engine.open(OpenRequest(location: location, model: model, createsMissing: false))
    }

    private func dump(_ file: URL, _ model: URL? = nil) throws -> [Substring] {
        let run = try ToolRun(
            ["store", "dump", "--dates", "raw", "--allow-missing-external-data", file.path]
                + (model.map { ["--model", $0.path] } ?? []))
        #expect(run.exitCode == 0, "\(run.errorText)")
        // A value whose file is missing is null in the copy.
        return run.text.split(separator: "\n").map { line in
            line.replacing(/"[^"]*":null,?/, with: "").replacing(",}", with: "}")[...]
        }
    }

    /// The real stores: the smaller ones, or all if random tests run ten times as long.
    private static let realStores = Corpus.storePaths.filter { path in
        let file = Corpus.root.deletingLastPathComponent().appending(path: path)
        let size = try? file.resourceValues(forKeys: [.fileSizeKey]).fileSize
        return TestSetting.isLong || (size ?? 0) < 100_000
    }

    /// The stores of which no model is available. They are not copied.
    private static let storesWithoutModel: Set = [
        "corpus-more/log2timeline__plaso/test_data/ios/kik.sqlite",
        "corpus-more/log2timeline__plaso/test_data/macos/NotesV7.storedata",
    ]

    @Test(.enabled(if: Corpus.isThere), arguments: realStores)
    func `have what every real store had, there and back`(_ path: String) throws {
        try withSchema {
            let file = try Corpus.copy(path, into: folder.url)
            let hashes = try SQLiteStore.metadata(at: .file(file)).entityVersionHashes
            var modelURL: URL?
            let model: ManagedObjectModel
            if let inside = try SQLiteStore.model(at: .file(file)) {
                model = try ManagedObjectModel(inside, recordedHashes: hashes)
            } else {
                // The models of some stores written before iOS 9 are not available.
                modelURL = Corpus.models(beside: path).first {
                    (try? ManagedObjectModel(contentsOf: $0))?.entityVersionHashes == hashes
                }
                guard let modelURL else {
                    #expect(Self.storesWithoutModel.contains(path))
                    return
                }
                model = try ManagedObjectModel(contentsOf: modelURL)
            }
            let copy = folder.file("copy.sqlite")
            let wanted = try dump(file, modelURL)

            let source = try open(SQLiteStore.self, .file(file), model)
            defer { try? source.close() }
            var there = StoreCopier(to: PostgreSQLStore.self)
            there.allowsMissingExternalData = true
            there.allowsUnexplainedValues = true
            var counts: [Int] = []
            let progress = try there.copy(source, to: url) {
                counts.append($0.objectCount)
                return .proceed
            }
            let onServer = try open(
                PostgreSQLStore.self, StoreLocation(url, of: PostgreSQLStore.self), model)
            defer { try? onServer.close() }
            try StoreCopier(to: SQLiteStore.self).copy(onServer, to: copy)

            #expect(try dump(copy) == wanted)
            #expect(progress.objectCount == progress.totalObjectCount)
            #expect(counts == counts.sorted() && counts.last == progress.objectCount)
            #expect(try temporarySchemas() == 0)
            #expect(
                try PostgreSQLStore.metadata(at: onServer.request.location).entityVersionHashes
                    == onServer.metadata().entityVersionHashes)
        }
    }

    private func isMissing(_ location: StoreLocation) -> Bool {
        do throws(StoreError) {
            _ = try PostgreSQLStore.metadata(at: location)
            return false
        } catch .notFound(location) {
            return true
        } catch {
            return false
        }
    }

    /// Returns a store with items, which is open as long as the coordinator is there.
    private func items(
        _ count: Int
    ) throws -> (any PersistentStore, ManagedObjectModel, PersistentStoreCoordinator) {
        let model = try ManagedObjectModel([
            EntityDescription("Item", [.attribute("title", .string)])
        ])
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: .sqlite, at: folder.file("items.sqlite"))
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            for number in 0..<count {
                try context.insertNewObject(forEntityName: "Item").setValue(
                    "\(number)", forKey: "title")
            }
            try context.save()
        }
        return (store, model, coordinator)
    }

    @Test(arguments: [0, 1, 2])
    func `leave nothing if they are cancelled`(_ calls: Int) throws {
        try withSchema {
            let (source, _, coordinator) = try items(200)
            defer { withExtendedLifetime(coordinator) {} }
            var count = 0

            let location = StoreLocation(url, of: PostgreSQLStore.self)
            let error = #expect(throws: GraphError.self) {
                try StoreCopier(to: PostgreSQLStore.self).copy(source, to: url) { _ in
                    count += 1
                    return count > calls ? .cancel : .proceed
                }
            }

            guard case .copyCancelled(location)? = error else {
                Issue.record("\(error as Any)")
                return
            }
            #expect(try temporarySchemas() == 0)
            #expect(isMissing(location))
        }
    }

    @Test func `leave nothing if their time is up`() throws {
        try withSchema {
            let (source, _, coordinator) = try items(200)
            defer { withExtendedLifetime(coordinator) {} }
            let deadline = ContinuousClock.now + .seconds(2)

            let error = #expect(throws: GraphError.self) {
                try StoreDeadline.with(deadline) {
                    try StoreCopier(to: PostgreSQLStore.self).copy(source, to: url) { _ in
                        while ContinuousClock.now < deadline {}
                        return .proceed
                    }
                }
            }

            guard case .store(.deadlineExceeded)? = error else {
                Issue.record("\(error as Any)")
                return
            }
            #expect(try temporarySchemas() == 0)
        }
    }

    @Test func `keep references to objects that come later, and that lead nowhere`() throws {
        try withSchema {
            let model = try ManagedObjectModel([
                EntityDescription(
                    "A",
                    [
                        .toOne("b", "B", inverse: "a"), .toOne("next", "A", inverse: "previous"),
                        .toOne("previous", "A", inverse: "next"),
                    ]),
                EntityDescription("B", [.toMany("a", "A", inverse: "b")]),
            ])
            let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
            let file = folder.file("references.sqlite")
            let source = try coordinator.addPersistentStore(ofType: .sqlite, at: file)
            try ContextHandle(coordinator: coordinator).performAndWait { context in
                let count = 3_000
                var all: [ManagedObject] = []
                for _ in 0..<count { all.append(try context.insertNewObject(forEntityName: "A")) }
                for (index, object) in all.enumerated() {
                    try object.setValue(all[(index + count / 2) % count], forKey: "next")
                    try object.setValue(
                        try context.insertNewObject(forEntityName: "B"), forKey: "b")
                }
                try context.save()
            }
            try StoreCopier(to: PostgreSQLStore.self).copy(source, to: url)
            let onServer = try open(
                PostgreSQLStore.self, StoreLocation(url, of: PostgreSQLStore.self), model)
            defer { try? onServer.close() }
            let copy = folder.file("copy.sqlite")
            try StoreCopier(to: SQLiteStore.self).copy(onServer, to: copy)

            #expect(try dump(copy) == (try dump(file)))
        }
    }

    @Test func `do not replace a store, and remove what a stopped copy left, which nobody opens`()
        throws
    {
        try withSchema {
            let (source, model, coordinator) = try items(3)
            defer { withExtendedLifetime(coordinator) {} }
            let location = StoreLocation(url, of: PostgreSQLStore.self)
            let abandoned = try PostgreSQLStore.placement(at: location, replacing: false)
            let made = try abandoned.makeLocation()
            try PostgreSQLStore.open(OpenRequest(location: made, model: model)).close()
            // As if its process had been killed: the connection ends, and the schema stays.
            PostgreSQLStore.abandon(abandoned)
            #expect(try temporarySchemas() == 1)
            let name = try #require(made.service).urlWithPassword.lastPathComponent
            let error = #expect(throws: StoreError.self) {
                try open(
                    PostgreSQLStore.self,
                    StoreLocation(database.appending(path: name), of: PostgreSQLStore.self), model)
            }
            guard case .unsupported? = error else {
                Issue.record("\(error as Any)")
                return
            }

            try StoreCopier(to: PostgreSQLStore.self).copy(source, to: url)

            #expect(try temporarySchemas() == 0)
            let again = #expect(throws: GraphError.self) {
                try StoreCopier(to: PostgreSQLStore.self).copy(source, to: url)
            }
            guard case .destinationExists(location)? = again else {
                Issue.record("\(again as Any)")
                return
            }
            let store = try open(PostgreSQLStore.self, location, model)
            #expect(try store.entityCounts() == ["Item": 3])
            try store.close()
            try PersistentStoreCoordinator(
                managedObjectModel: model,
                registry: StoreRegistry([PostgreSQLStore.self])
            ).destroyPersistentStore(at: url, ofType: "PostgreSQL")
            #expect(isMissing(location))
        }
    }

    @Test
    func `take the place of a store below its contexts, and are not removed while others read`()
        throws
    {
        try withSchema {
            let (_, model, _) = try items(5)
            var registry = StoreRegistry.builtIn
            registry.register(PostgreSQLStore.self)
            let coordinator = PersistentStoreCoordinator(
                managedObjectModel: model, registry: registry)
            let first = try coordinator.addPersistentStore(
                ofType: .sqlite, at: folder.file("items.sqlite"))
            let context = ContextHandle(coordinator: coordinator)
            let count = try context.performAndWait { context in
                try context.fetch(FetchRequest<ManagedObject>("Item")).count
            }
            #expect(count == 5)

            let onServer = try coordinator.migratePersistentStore(
                first, to: url, type: "PostgreSQL")
            try context.performAndWait { context in
                let item = try #require(
                    try context.fetch(FetchRequest<ManagedObject>("Item")).first)
                try item.setValue("changed", forKey: "title")
                try context.insertNewObject(forEntityName: "Item").setValue("new", forKey: "title")
                try context.save()
            }
            let back = try coordinator.migratePersistentStore(
                onServer, to: folder.file("back.sqlite"), type: .sqlite)
            let titles = try context.performAndWait { context in
                try context.fetch(FetchRequest<ManagedObject>("Item")).compactMap {
                    try $0.value(forKey: "title") as? String
                }
            }
            #expect(titles.count == 6 && Set(titles).isSuperset(of: ["changed", "new"]))
            try coordinator.remove(back)

            let location = StoreLocation(url, of: PostgreSQLStore.self)
            let reader = try open(PostgreSQLStore.self, location, model)
            defer { try? reader.close() }
            let snapshot = try reader.snapshot()
            let error = #expect(throws: StoreError.self) { try PostgreSQLStore.remove(location) }
            guard case .locked? = error else {
                Issue.record("\(error as Any)")
                return
            }
            snapshot.end()
            try PostgreSQLStore.remove(location)
        }
    }
}
