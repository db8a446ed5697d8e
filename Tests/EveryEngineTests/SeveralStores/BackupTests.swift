import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// Copies of stores at one moment, and stores that are replaced with such copies.
@Suite struct `A backup` {
    /// Stores with pairs of items, and with large values.
    private struct Stack {
        static let combinations: [[StoreType]] = [
            ["SQLite"], ["LMDB"], ["XML"], ["SQLite", "XML"], ["SQLite", "LMDB"],
            ["Binary", "SQLite"],
        ]

        let folder: TemporaryFolder
        let types: [StoreType]
        let coordinator: PersistentStoreCoordinator
        let stores: [any PersistentStore]

        init(
            _ types: [StoreType], in folder: TemporaryFolder? = nil, named name: String = "items",
            subfolder: String = "", options: StoreOptions = [:]
        ) throws {
            var blob = AttributeDescription("blob", .binary)
            blob.allowsExternalBinaryDataStorage = true
            let folder = try folder ?? TemporaryFolder()
            let coordinator = PersistentStoreCoordinator(
                managedObjectModel: try ManagedObjectModel([
                    EntityDescription(
                        "Item",
                        [
                            .attribute("name", .string), .attribute("a", .integer64),
                            .attribute(blob),
                        ])
                ]))
            let base = subfolder.isEmpty ? folder.url : folder.url.appending(path: subfolder)
            stores = try types.enumerated().map { index, type in
                try coordinator.addPersistentStore(
                    ofType: type,
                    at: type == .inMemory ? nil : base.appending(path: "\(name)\(index).store"),
                    options: type == .inMemory ? [:] : options)
            }
            (self.folder, self.types, self.coordinator) = (folder, types, coordinator)
        }

        var backup: URL { folder.file("backup") }

        /// Saves an item in each store, in one save.
        func save(_ name: String, byteCount: Int = 0) throws {
            try ContextHandle(coordinator: coordinator).performAndWait { [stores] context in
                for store in stores {
                    let item = try context.insertItem(name, in: store)
                    if byteCount > 0 {
                        try item.setValue(Data(repeating: 7, count: byteCount), forKey: "blob")
                    }
                }
                try context.save()
            }
        }

        func deleteAll() throws {
            try ContextHandle(coordinator: coordinator).performAndWait { context in
                for item in try context.fetch(FetchRequest<ManagedObject>("Item")) {
                    try context.delete(item)
                }
                try context.save()
            }
        }

        func items() throws -> [String] {
            try ContextHandle(coordinator: coordinator).performAndWait { try $0.items() }
        }

        /// Returns the lengths of all large values.
        func lengths() throws -> [Int] {
            try ContextHandle(coordinator: coordinator).performAndWait { context in
                try context.fetch(FetchRequest<ManagedObject>("Item")).map {
                    (try $0.value(forKey: "blob") as? Data)?.count ?? 0
                }
            }
        }

        func close() throws {
            for store in coordinator.persistentStores { try coordinator.remove(store) }
        }

        /// Opens the stores again, or the copies in the backup, calls the body and closes them.
        func withStores<Result>(
            inBackup: Bool = false, _ body: (Stack) throws -> Result
        ) throws -> Result {
            let other = try Stack(types, in: folder, subfolder: inBackup ? "backup" : "")
            let result = try body(other)
            try other.close()
            return result
        }

        func names() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
        }
    }

    @Test(arguments: Stack.combinations)
    func `opens as it is, and contains the moment of the backup`(_ types: [StoreType]) throws {
        let stack = try Stack(types)
        try stack.save("1", byteCount: 500_000)
        var hasSaved = false

        let copies = try stack.coordinator.backUp(to: stack.backup) { _ in
            if !hasSaved {
                hasSaved = true
                try? stack.deleteAll()
                for index in 2..<8 { try? stack.save("\(index)", byteCount: 700_000) }
            }
            return .proceed
        }

        let found = try stack.withStores(inBackup: true) { copy in
            (
                try copy.items(), try copy.lengths(),
                try copy.stores.map { try copy.coordinator.metadata(for: $0).identifier }
            )
        }
        #expect(hasSaved)
        #expect(copies.map(\.lastPathComponent) == types.indices.map { "items\($0).store" })
        #expect(found.0 == types.map { _ in "1=1" })
        #expect(found.1 == types.map { _ in 500_000 })
        #expect(
            try found.2 == stack.stores.map { try stack.coordinator.metadata(for: $0).identifier })
        #expect(try stack.items().first == "2=1")
        #expect(try stack.names().filter { $0.contains(".copy-") } == [])
    }

    @Test(arguments: Stack.combinations)
    func `restores all stores`(_ types: [StoreType]) throws {
        let stack = try Stack(types)
        try stack.save("1", byteCount: 500_000)
        try stack.coordinator.backUp(to: stack.backup)
        try stack.deleteAll()
        try stack.save("2", byteCount: 600_000)
        try stack.close()

        let restored = try stack.coordinator.restore(fromBackup: stack.backup)

        let found = try stack.withStores { (try $0.items(), try $0.lengths()) }
        #expect(restored.map(\.lastPathComponent) == types.indices.map { "items\($0).store" })
        #expect(found.0 == types.map { _ in "1=1" })
        #expect(found.1 == types.map { _ in 500_000 })
        #expect(
            try stack.names().filter {
                $0.contains(".copy-") || $0.contains("restoring") || $0.contains("migrating")
            } == [])
    }

    @Test func `restores stores that are missing, or to other paths`() throws {
        let stack = try Stack(["SQLite", "LMDB"])
        try stack.save("1", byteCount: 500_000)
        try stack.coordinator.backUp(to: stack.backup)
        try stack.close()
        for index in 0..<2 {
            try FileManager.default.removeItem(at: stack.folder.file("items\(index).store"))
        }

        try stack.coordinator.restore(fromBackup: stack.backup)
        try stack.coordinator.restore(
            fromBackup: stack.backup,
            to: [
                "items0.store": stack.folder.file("other0.store"),
                "items1.store": stack.folder.file("other1.store"),
            ])
        let unknown = try graphError {
            try stack.coordinator.restore(
                fromBackup: stack.backup, to: ["items7.store": stack.folder.file("x")])
        }

        #expect(try stack.withStores { try $0.items() } == ["1=1", "1=1"])
        let other = try Stack(stack.types, in: stack.folder, named: "other")
        #expect(try other.lengths() == [500_000, 500_000])
        guard case .store(.notFound)? = unknown else {
            Issue.record("\(unknown as Any)")
            return
        }
    }

    @Test(arguments: [["SQLite", "LMDB"], ["Binary"]] as [[StoreType]])
    func `is never written over anything, and leaves nothing if it is cancelled`(
        _ types: [StoreType]
    ) throws {
        let stack = try Stack(types)
        try stack.save("1", byteCount: 500_000)
        let before = try stack.names()
        var (calls, cancelled) = (0, 0)
        try stack.coordinator.backUp(to: stack.folder.file("count")) { _ in
            calls += 1
            return .proceed
        }
        try FileManager.default.removeItem(at: stack.folder.file("count"))

        for last in 1...calls {
            var call = 0
            let error = try graphError {
                try stack.coordinator.backUp(to: stack.backup) { _ in
                    call += 1
                    return call == last ? .cancel : .proceed
                }
            }
            if case .copyCancelled? = error { cancelled += 1 }
        }
        let after = try stack.names()
        try stack.coordinator.backUp(to: stack.backup)
        let again = try graphError { try stack.coordinator.backUp(to: stack.backup) }

        #expect(calls > 2)
        #expect(cancelled == calls)
        #expect(after == before)
        guard case .destinationExists? = again else {
            Issue.record("\(again as Any)")
            return
        }
    }

    @Test func `that was damaged or changed is not restored`() throws {
        let stack = try Stack(["SQLite", "Binary"])
        try stack.save("1", byteCount: 500_000)
        try stack.coordinator.backUp(to: stack.backup)
        try stack.save("2")
        try stack.close()
        let files = try FileManager.default.subpathsOfDirectory(atPath: stack.backup.path)
            .map { stack.backup.appending(path: $0) }
            .filter { !$0.hasDirectoryPath && (try? Data(contentsOf: $0)) != nil }
        let original = try Dictionary(
            uniqueKeysWithValues: files.map { ($0, try Data(contentsOf: $0)) })
        func refusals(_ damage: (Data) -> Data?) throws -> Int {
            var count = 0
            for (file, bytes) in original {
                if let damaged = damage(bytes) {
                    try damaged.write(to: file)
                } else {
                    try FileManager.default.removeItem(at: file)
                }
                let error = try graphError {
                    try stack.coordinator.restore(fromBackup: stack.backup)
                }
                try bytes.write(to: file)
                switch error {
                case .store(.corrupt)?, .store(.notFound)?: count += 1
                default: Issue.record("\(file.lastPathComponent): \(error as Any)")
                }
            }
            return count
        }

        let flipped = try refusals { bytes in
            var bytes = bytes
            bytes[bytes.count / 2] ^= 1
            return bytes
        }
        let short = try refusals { $0.dropLast() }
        let missing = try refusals { _ in nil }
        let log = stack.backup.appending(path: "items0.store-wal")
        try Data([1]).write(to: log)
        let changed = try graphError {
            try stack.coordinator.restore(fromBackup: stack.backup)
        }
        try FileManager.default.removeItem(at: log)

        // Two stores, a large value, and the manifest.
        #expect(flipped == 4 && short == 4 && missing == 4)
        guard case .store(.corrupt)? = changed else {
            Issue.record("\(changed as Any)")
            return
        }
        #expect(try stack.withStores { try $0.items() } == ["1=1", "1=1", "2=1", "2=1"])
        #expect(
            try stack.names().filter { $0.contains(".copy-") || $0.contains("restoring") } == [])
    }

    @Test func `is not restored to a store that is open, or that is of another type`() throws {
        let stack = try Stack(["SQLite", "LMDB"])
        try stack.save("1")
        try stack.coordinator.backUp(to: stack.backup)
        try stack.save("2")
        let other = PersistentStoreCoordinator(
            managedObjectModel: stack.coordinator.managedObjectModel)

        let added = try graphError { try stack.coordinator.restore(fromBackup: stack.backup) }
        let open = try graphError { try other.restore(fromBackup: stack.backup) }
        try stack.coordinator.remove(stack.stores[0])
        let halfOpen = try graphError { try other.restore(fromBackup: stack.backup) }
        try stack.coordinator.remove(stack.stores[1])
        let wrongType = try graphError {
            try other.restore(
                fromBackup: stack.backup,
                to: [
                    "items1.store": stack.folder.file("items0.store"),
                    "items0.store": stack.folder.file("new"),
                ])
        }

        guard case .storeAlreadyAdded? = added, case .store(.locked)? = open,
            case .store(.locked)? = halfOpen, case .store(.notAStore)? = wrongType
        else {
            Issue.record("\([added, open, halfOpen, wrongType])")
            return
        }
        #expect(try stack.withStores { try $0.items() } == ["1=1", "1=1", "2=1", "2=1"])
    }

    @Test(
        arguments: [["SQLite", "LMDB"], ["LMDB", "XML"], ["Binary", "SQLite"]] as [[StoreType]])
    func `whose restore was interrupted is restored by the next program that opens a store`(
        _ types: [StoreType]
    ) throws {
        for (index, isReadOnly) in [(0, false), (1, false), (1, true)] {
            let stack = try Stack(types)
            try stack.save("1", byteCount: 500_000)
            try stack.coordinator.backUp(to: stack.backup)
            try stack.deleteAll()
            try stack.save("2")
            try stack.close()
            let link = stack.folder.file("link")

            // The second store cannot be replaced while its file has another name.
            let error = try graphError {
                try stack.coordinator.restore(fromBackup: stack.backup) { _ in
                    Foundation.link(stack.folder.file("items1.store").path, link.path)
                    return .proceed
                }
            }
            let busy = try graphError {
                try stack.coordinator.destroyPersistentStore(
                    at: stack.folder.file("items1.store"), ofType: types[1])
            }
            unlink(link.path)
            try stack.coordinator.addPersistentStore(
                ofType: types[index], at: stack.folder.file("items\(index).store"),
                options: [.readOnly: .boolean(isReadOnly)])
            let found = try stack.items()
            try stack.close()

            guard case .store(.hardLinked)? = error, case .store(.locked)? = busy else {
                Issue.record("\(error as Any), \(busy as Any)")
                return
            }
            #expect(found == ["1=1"])
            let names = try stack.names()
            #expect(
                names.filter { $0.contains(".copy-") || $0.contains("ing") && $0.hasPrefix(".") }
                    == [])
            // The other store was replaced, too, and not only when it is opened.
            let other = try Stack(types, in: stack.folder)
            #expect(try other.items() == ["1=1", "1=1"])
            #expect(try other.lengths() == [500_000, 500_000])
        }
    }

    @Test func `copies a store in memory row by row`() throws {
        let stack = try Stack(["SQLite", "InMemory"])
        try stack.save("1", byteCount: 500_000)

        let copies = try stack.coordinator.backUp(to: stack.backup)
        let asSQLite = try stack.coordinator.backUp(
            [stack.stores[1]], to: stack.folder.file("memory"), copyingRowsTo: .sqlite)
        let restored = try stack.coordinator.restore(
            fromBackup: stack.folder.file("memory"),
            to: ["Memory.sqlite": stack.folder.file("copy.sqlite")])
        let leftOut = try stack.coordinator.restore(fromBackup: stack.folder.file("memory"))

        #expect(copies.map(\.lastPathComponent) == ["items0.store", "Memory.binary"])
        #expect(asSQLite.map(\.lastPathComponent) == ["Memory.sqlite"])
        #expect(restored.map(\.lastPathComponent) == ["copy.sqlite"])
        #expect(leftOut == [])
        for (url, type) in [(copies[1], "Binary"), (restored[0], "SQLite")] as [(URL, StoreType)] {
            let coordinator = PersistentStoreCoordinator(
                managedObjectModel: stack.coordinator.managedObjectModel)
            try coordinator.addPersistentStore(ofType: type, at: url)
            #expect(
                try ContextHandle(coordinator: coordinator).performAndWait { try $0.items() }
                    == ["1=1"])
        }
    }

    @Test func `gives stores with similar names names of their own`() throws {
        let stack = try Stack(["SQLite"])
        try stack.save("1", byteCount: 500_000)
        for name in ["other/items0.store", "items0.db"] {
            let url = stack.folder.file(name)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try stack.coordinator.addPersistentStore(ofType: .sqlite, at: url)
        }

        let copies = try stack.coordinator.backUp(to: stack.backup)

        #expect(
            copies.map(\.lastPathComponent) == ["items0.store", "items0-2.store", "items0-3.db"])
    }

    @Test func `of a read-only store changes nothing`() throws {
        let stack = try Stack(["SQLite", "LMDB"])
        try stack.save("1")
        try stack.close()
        let readOnly = try Stack(stack.types, in: stack.folder, options: [.readOnly: true])

        try readOnly.coordinator.backUp(to: stack.backup)
        try readOnly.close()

        #expect(try stack.withStores(inBackup: true) { try $0.items() } == ["1=1", "1=1"])
    }

    @Test func `ends with its task`() async throws {
        let stack = try Stack(["SQLite"])
        try stack.save("1", byteCount: 500_000)
        let coordinator = stack.coordinator
        let folder = stack.backup

        let task = Task {
            try await coordinator.backUp(to: folder) { _ in
                withUnsafeCurrentTask { $0?.cancel() }
                return .proceed
            }
        }
        task.cancel()
        let result = await task.result

        guard case .failure(GraphError.copyCancelled) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path))
        #expect(try await coordinator.backUp(to: folder).count == 1)
    }

    @Test func `of a container restores its descriptions`() async throws {
        let folder = try TemporaryFolder()
        func container() async throws -> PersistentContainer {
            let container = PersistentContainer(
                name: "Items", managedObjectModel: try ManagedObjectModel(ItemStack.entities))
            container.persistentStoreDescriptions = [
                PersistentStoreDescription(type: .sqlite, url: folder.file("a.sqlite")),
                PersistentStoreDescription(type: .lmdb, url: folder.file("b.lmdb")),
            ]
            return container
        }
        let first = try await container()
        try await first.loadPersistentStores()
        try await first.backUp(to: folder.file("backup"))
        try await first.perform { context in
            _ = try context.insertNewObject(forEntityName: "Item")
            try context.save()
        }
        let refused = try await first.restoreError(from: folder.file("backup"))
        for store in first.persistentStoreCoordinator.persistentStores {
            try first.persistentStoreCoordinator.remove(store)
        }

        let second = try await container()
        let restored = try await second.restore(fromBackup: folder.file("backup"))
        try await second.loadPersistentStores()
        let items = try await second.perform { try $0.items() }

        #expect(restored.map(\.lastPathComponent) == ["a.sqlite", "b.lmdb"])
        #expect(items == [])
        guard case .storeAlreadyAdded? = refused else {
            Issue.record("\(refused as Any)")
            return
        }
    }
}

extension PersistentContainer {
    fileprivate func restoreError(from folder: URL) async throws -> GraphError? {
        do {
            try await restore(fromBackup: folder)
            return nil
        } catch {
            return error
        }
    }
}
