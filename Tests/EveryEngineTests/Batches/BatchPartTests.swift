import Cairn
import CairnStack
import CairnTestSupport
import CairnTesting
import Foundation
import GraphSupport
import Testing

/// Batches that are too large for one request, so that stores get them in parts.
@Suite struct `Batches in parts` {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func stack(
        _ types: [StoreType], options: StoreOptions = [:]
    ) throws -> PersistentStoreCoordinator {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try BatchShop.model)
        for (index, type) in types.enumerated() {
            try coordinator.addPersistentStore(
                ofType: type, at: folder.url(of: type, "\(index).store"),
                options: options)
        }
        return coordinator
    }

    /// Executes a batch whose parts have a few objects.
    private func inParts<Result: Sendable>(
        of count: Int = 3, _ coordinator: PersistentStoreCoordinator,
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        try BatchContent.$partCount.withValue(count) {
            try ContextHandle(coordinator: coordinator).performAndWait(body)
        }
    }

    private static func authors(
        _ names: some Sequence<String>, _ resultType: BatchResultType = .objectIDs
    ) -> BatchInsertRequest {
        var request = BatchInsertRequest(
            entityName: "Author",
            objects: names.enumerated().map { ["name": $1, "born": Int64($0)] })
        request.resultType = resultType
        return request
    }

    /// The names of the authors, in the order of their years.
    private func names(_ coordinator: PersistentStoreCoordinator) throws -> [String] {
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            var request = FetchRequest<ManagedObject>("Author")
            request.sortDescriptors = [FetchSortDescriptor("born"), FetchSortDescriptor("name")]
            return try context.fetch(request).map { try $0.value(forKey: "name") as? String ?? "" }
        }
    }

    @Test(arguments: everyEngine)
    func `are one save, one transaction of the history, and one result`(_ type: StoreType) throws {
        let coordinator = try stack([type], options: [.tracksHistory: true])
        let all = (0..<4100).map { "A\($0)" }
        let reader = ContextHandle(coordinator: coordinator)
        try reader.performAndWait { context in
            _ = try context.execute(BatchInsertRequest(entityName: "Tag", objects: [["name": "T"]]))
        }

        let inserted = try inParts(coordinator) { try $0.execute(Self.authors(all)) }
        let first = try #require(inserted.objectIDs.first)
        let before = try reader.performAndWait { context in
            try context.object(with: first).value(forKey: "name") as? String
        }
        let updated = try inParts(of: 1_000, coordinator) { context in
            try context.updateAll(FetchRequest<ManagedObject>("Author")) { author in
                try author.setValue("\(try author.value(forKey: "name") ?? "")!", forKey: "name")
            }
        }
        let after = try ContextHandle(coordinator: coordinator).performAndWait { context in
            try context.object(with: first).value(forKey: "name") as? String
        }

        #expect(inserted.count == 4100 && Set(inserted.objectIDs).count == 4100)
        #expect(updated.count == 4100 && updated.changes.updated == Set(inserted.objectIDs))
        #expect(before == "A0" && after == "A0!")
        #expect(try names(coordinator) == all.map { $0 + "!" })
        let history = try coordinator.history().suffix(2)
        #expect(history.map(\.changes.count) == [4100, 4100])
        #expect(history.first?.changes.map(\.changedObjectID) == inserted.objectIDs)

        let deleted = try inParts(of: 1_000, coordinator) { context in
            try context.execute(BatchDeleteRequest(fetchRequest: FetchRequest("Author")))
        }
        #expect(deleted.count == 4100 && deleted.objectIDs == [])
        #expect(try names(coordinator) == [])
        #expect(try coordinator.history().last?.changes.count == 4100)
    }

    @Test(arguments: everyEngine)
    func `may exchange unique values between parts`(_ type: StoreType) throws {
        let coordinator = try stack([type])
        _ = try inParts(coordinator) { try $0.execute(Self.authors((0..<10).map { "A\($0)" })) }

        let result = try inParts(coordinator) { context in
            try context.updateAll(FetchRequest<ManagedObject>("Author")) { author in
                let born = try author.value(forKey: "born") as? Int64 ?? 0
                try author.setValue("A\((born + 1) % 10)", forKey: "name")
            }
        }

        #expect(result.count == 10)
        #expect(try names(coordinator) == (1..<10).map { "A\($0)" } + ["A0"])
    }

    @Test(arguments: everyEngine)
    func `with equal unique values in two parts name both objects`(_ type: StoreType) throws {
        let coordinator = try stack([type])
        _ = try inParts(coordinator) { try $0.execute(Self.authors(["old"])) }
        func conflict(_ names: [String]) throws -> UniquenessConflict {
            do {
                _ = try inParts(coordinator) { context in
                    context.mergePolicy = StandardMergePolicy.error
                    return try context.execute(Self.authors(names))
                }
            } catch GraphError.store(.uniquenessConflicts(let conflicts)) {
                return try #require(conflicts.first)
            }
            throw GraphError.notConnected
        }

        let among = try conflict((0..<10).map { "A\($0 % 8)" })
        let stored = try conflict((0..<10).map { $0 == 7 ? "old" : "A\($0)" })

        #expect(among.requested.count == 2 && among.stored == nil)
        #expect(stored.requested.count == 1 && stored.stored != nil)
        #expect(try names(coordinator) == ["old"])
    }

    @Test(
        arguments: everyEngine,
        [
            (StandardMergePolicy.mergeByPropertyStoreTrump, ["A0: -1", "A1: 1", "A2: 2", "A3: 3"]),
            (.mergeByPropertyObjectTrump, ["A0: 8", "A1: 9", "A2: 6", "A3: 7"]),
        ])
    func `follow the merge policy`(
        _ type: StoreType, _ expected: (policy: StandardMergePolicy, authors: [String])
    ) throws {
        let coordinator = try stack([type])
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            _ = try context.execute(
                BatchInsertRequest(
                    entityName: "Author", objects: [["name": "A0", "born": Int64(-1)]]))
        }

        _ = try inParts(coordinator) { context in
            context.mergePolicy = expected.policy
            return try context.execute(Self.authors((0..<10).map { "A\($0 % 4)" }))
        }

        let found = try ContextHandle(coordinator: coordinator).performAndWait { context in
            try context.fetch(FetchRequest<ManagedObject>("Author")).map { author in
                let name = try author.value(forKey: "name") as? String ?? ""
                return "\(name): \(try author.value(forKey: "born") as? Int64 ?? 0)"
            }
        }
        #expect(found.sorted() == expected.authors)
    }

    @Test(arguments: everyEngine)
    func `apply delete rules to members in other parts`(_ type: StoreType) throws {
        let coordinator = try stack([type])
        for seed in 0..<3 as Range<UInt64> {
            try inParts(coordinator) { context in
                for entity in ["Loan", "Letter", "Review", "Author", "Book", "Tag"] {
                    _ = try context.execute(BatchDeleteRequest(fetchRequest: FetchRequest(entity)))
                }
            }
            try BatchShop.fill(coordinator, seed: seed)
        }

        try inParts(coordinator) { context in
            _ = try context.execute(BatchDeleteRequest(fetchRequest: FetchRequest("Loan")))
            _ = try context.execute(BatchDeleteRequest(fetchRequest: FetchRequest("Letter")))
            _ = try context.execute(BatchDeleteRequest(fetchRequest: FetchRequest("Author")))
        }

        try ContextHandle(coordinator: coordinator).performAndWait { context in
            let owned = try FetchRequest<ManagedObject>("Book", where: "author != nil")
            let reviews = FetchRequest<ManagedObject>("Review")
            let orphans = try FetchRequest<ManagedObject>(
                "Review", where: "book == nil OR book.title != nil")
            #expect(try context.count(for: owned) == 0)
            #expect(try context.count(for: reviews) == 20 && context.count(for: orphans) == 20)
        }
    }

    @Test(arguments: everyEngine)
    func `leave no reference to an object that others have just referred to`(
        _ type: StoreType
    ) throws {
        let coordinator = try stack([type])
        let ids = try inParts(coordinator) {
            try $0.execute(Self.authors((0..<10).map { "A\($0)" })).objectIDs
        }
        let error = #expect(throws: GraphError.self) {
            try inParts(coordinator) { context in
                var request = BatchDeleteRequest(objectIDs: ids)
                request.appliesDeleteRules = false
                try ContextHandle(coordinator: coordinator).performAndWait { other in
                    let book = try other.insertNewObject(forEntityName: "Book")
                    try book.setValue(try other.object(with: ids[1]), forKey: "author")
                    try other.save()
                }
                _ = try context.execute(request)
            }
        }
        guard case .store(.referenceConflicts(let conflicts))? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(conflicts.map(\.object) == [ids[1]])
        #expect(try names(coordinator).count == 10)
    }

    @Test func `are one save of several stores`() throws {
        let coordinator = try stack([.sqlite, .lmdb, .binary])
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            for (number, store) in coordinator.persistentStores.enumerated() {
                for index in 0..<5 {
                    let author = try context.insertNewObject(forEntityName: "Author")
                    try context.assign(author, to: store)
                    try author.setValue("A\(number) \(index)", forKey: "name")
                }
            }
            try context.save()
        }

        let result = try inParts(coordinator) { context in
            try context.updateAll(FetchRequest<ManagedObject>("Author")) { author in
                try author.setValue(Int64(5), forKey: "born")
            }
        }

        #expect(result.count == 15)
        let changed = try ContextHandle(coordinator: coordinator).performAndWait { context in
            try context.count(for: FetchRequest<ManagedObject>("Author", where: "born == 5"))
        }
        #expect(changed == 15)
    }
}
