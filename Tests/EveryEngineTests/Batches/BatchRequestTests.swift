import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// Changes of many objects in one save.
@Suite struct `Batch requests` {
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

    /// Saves an author with `count` books, every third an atlas, each with a review and the same tag.
    private func fill(
        _ coordinator: PersistentStoreCoordinator, count: Int = 9, store: Int? = nil
    ) throws {
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            func insert(_ entity: String, _ values: [String: Any]) throws -> ManagedObject {
                let object = try context.insertNewObject(forEntityName: entity)
                if let store {
                    try context.assign(object, to: coordinator.persistentStores[store])
                }
                try object.setValuesForKeys(values)
                return object
            }
            let author = try insert("Author", ["name": "Ann \(store ?? 0)", "born": 1950])
            let tag = try insert("Tag", ["name": "old"])
            for number in 0..<count {
                let book = try insert(
                    number % 3 == 2 ? "Atlas" : "Book",
                    ["title": "B\(number)", "price": Double(number), "author": author])
                try book.setValue([tag], forKey: "tags")
                _ = try insert("Review", ["text": "R\(number)", "book": book])
            }
            try context.save()
        }
    }

    private func prices(_ coordinator: PersistentStoreCoordinator) throws -> [Double] {
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            var request = FetchRequest<ManagedObject>("Book")
            request.sortDescriptors = [FetchSortDescriptor("title")]
            return try context.fetch(request).map { try $0.value(forKey: "price") as? Double ?? -1 }
        }
    }

    private func counts(_ coordinator: PersistentStoreCoordinator) throws -> [String: Int] {
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            var counts: [String: Int] = [:]
            for entity in ["Author", "Book", "Review", "Loan", "Letter", "Tag"] {
                counts[entity] = try context.count(for: FetchRequest<ManagedObject>(entity))
            }
            return counts
        }
    }

    // MARK: Updating

    @Test(arguments: everyEngine)
    func `an update sets the values of all matches, which contexts then merge`(
        _ type: StoreType
    ) throws {
        let coordinator = try stack([type], options: [.tracksHistory: true])
        try fill(coordinator)
        let reader = ContextHandle(coordinator: coordinator)
        let price = { @Sendable (context: ManagedObjectContext) throws -> Double? in
            let request = try FetchRequest<ManagedObject>("Book", where: "title == %@", "B8")
            return try context.fetch(request).first?.value(forKey: "price") as? Double
        }
        #expect(try reader.performAndWait(price) == 8)
        let token = try coordinator.history().last?.token

        let result = try ContextHandle(coordinator: coordinator).performAndWait { context in
            context.transactionAuthor = "shop"
            var request = BatchUpdateRequest(entityName: "Book")
            request.predicate = try FetchPredicate(format: "price > 4")
            request.propertiesToUpdate = ["price": 99.5, "title": NSNull()]
            request.resultType = .objectIDs
            return try context.execute(request)
        }
        let history = try coordinator.history(after: token)

        #expect(result.count == 4 && result.objectIDs.count == 4)
        #expect(result.changes.updated == Set(result.objectIDs))
        #expect(try prices(coordinator).sorted() == [0, 1, 2, 3, 4, 99.5, 99.5, 99.5, 99.5])
        #expect(history.map(\.author) == ["shop"])
        #expect(history.first?.changes.count == 4)
        let merged = try reader.performAndWait { context in
            let object = try context.object(with: result.objectIDs[0])
            try context.mergeChanges(result.changes)
            return try object.value(forKey: "price") as? Double
        }
        #expect(merged == 99.5)

        try ContextHandle(coordinator: coordinator).performAndWait { context in
            var request = BatchUpdateRequest(entityName: "Book")
            request.predicate = try FetchPredicate(format: "price == 99.5")
            request.propertiesToUpdate = ["price": 99.5, "title": "new"]
            try context.execute(request)
        }
        let last = try coordinator.history(after: history.last?.token).first
        #expect(last?.changes.map(\.updatedProperties) == Array(repeating: ["title"], count: 4))
    }

    @Test(arguments: everyEngine)
    func `an update that breaks a rule, or does not fit, changes nothing`(_ type: StoreType) throws
    {
        let coordinator = try stack([type])
        try fill(coordinator)
        let before = try prices(coordinator)
        func error(_ values: [String: any Sendable]) -> String {
            do {
                try ContextHandle(coordinator: coordinator).performAndWait { context in
                    var request = BatchUpdateRequest(entityName: "Book")
                    request.propertiesToUpdate = values
                    try context.execute(request)
                }
                return "no error"
            } catch {
                return "\(error)"
            }
        }

        #expect(error(["price": -1.0]).contains("at least 0"))
        #expect(error(["price": NSNull()]).contains("a value is required"))
        #expect(error(["pric": 1.0]).contains("price"))
        #expect(error(["price": "ten"]).contains("price"))
        #expect(error(["reviews": [ObjectID]()]).contains("“Book” was refused"))
        #expect(try prices(coordinator) == before)
    }

    @Test(arguments: everyEngine)
    func `an update begins again if others save the same objects`(_ type: StoreType) throws {
        let coordinator = try stack([type])
        try fill(coordinator, count: 2)
        let other = ContextHandle(coordinator: coordinator)
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            var calls = 0
            try context.updateAll(FetchRequest<ManagedObject>("Book")) { book in
                calls += 1
                if calls == 1 {
                    try other.performAndWait { context in
                        for book in try context.fetch(FetchRequest<ManagedObject>("Book")) {
                            try book.setValue(100.0, forKey: "price")
                        }
                        try context.save()
                    }
                }
                let price = try book.value(forKey: "price") as? Double ?? 0
                try book.setValue(price + 1, forKey: "price")
            }
            #expect(calls == 4)
        }
        #expect(try prices(coordinator) == [101, 101])
    }

    @Test(arguments: everyEngine)
    func `an update leaves objects alone that no longer match`(_ type: StoreType) throws {
        let coordinator = try stack([type])
        try fill(coordinator, count: 2)
        let other = ContextHandle(coordinator: coordinator)
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            var calls = 0
            let cheap = try FetchRequest<ManagedObject>("Book", where: "price < 5")
            try context.updateAll(cheap) { book in
                calls += 1
                let title = try book.value(forKey: "title") as? String ?? ""
                if calls == 1 {
                    try other.performAndWait { context in
                        let rest = try FetchRequest<ManagedObject>(
                            "Book", where: "title != %@", title)
                        try context.fetch(rest).first?.setValue(100.0, forKey: "price")
                        try context.save()
                    }
                }
                try book.setValue(50.0, forKey: "price")
            }
            #expect(calls == 3)
        }
        #expect(try prices(coordinator).sorted() == [50, 100])
    }

    @Test func `an update spans stores of different engines`() throws {
        let coordinator = try stack([.sqlite, .lmdb, .binary])
        for store in 0..<3 { try fill(coordinator, count: 3, store: store) }

        try ContextHandle(coordinator: coordinator).performAndWait { context in
            var request = BatchUpdateRequest(entityName: "Atlas")
            request.propertiesToUpdate = ["scale": 25_000]
            request.resultType = .count
            #expect(try context.execute(request).result as? Int == 3)
            request.affectedStores = [coordinator.persistentStores[1]]
            #expect(try context.execute(request).count == 0)
            request.propertiesToUpdate = ["scale": 50_000]
            #expect(try context.execute(request).count == 1)
            let scaled = try FetchRequest<ManagedObject>("Atlas", where: "scale == 25000")
            #expect(try context.count(for: scaled) == 2)
        }
    }

    // MARK: Deleting

    @Test(arguments: everyEngine)
    func `a deletion applies the delete rules`(_ type: StoreType) throws {
        let coordinator = try stack([type])
        try fill(coordinator)

        let result = try ContextHandle(coordinator: coordinator).performAndWait { context in
            var request = BatchDeleteRequest(fetchRequest: FetchRequest("Author"))
            request.resultType = .objectIDs
            return try context.execute(request)
        }

        #expect(result.count == 10)
        #expect(result.changes.updated.count == 9)
        #expect(
            try counts(coordinator)
                == ["Author": 0, "Book": 0, "Review": 9, "Loan": 0, "Letter": 0, "Tag": 1])
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            let orphans = try FetchRequest<ManagedObject>("Review", where: "book == nil")
            #expect(try context.count(for: orphans) == 9)
            let tag = try #require(try context.fetch(FetchRequest<ManagedObject>("Tag")).first)
            #expect((try tag.value(forKey: "books") as? Set<ManagedObject>)?.isEmpty ?? true)
        }
    }

    @Test(arguments: everyEngine)
    func `a deletion that a rule forbids deletes nothing`(_ type: StoreType) throws {
        let coordinator = try stack([type])
        try fill(coordinator)
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            let book = try context.fetch(FetchRequest<ManagedObject>("Book")).first
            let author = try context.fetch(FetchRequest<ManagedObject>("Author")).first
            // Two loans are one broken rule.
            for _ in 0..<2 {
                let loan = try context.insertNewObject(forEntityName: "Loan")
                try loan.setValue(book, forKey: "book")
            }
            let letter = try context.insertNewObject(forEntityName: "Letter")
            try letter.setValue(author, forKey: "author")
            try context.save()
        }
        let before = try counts(coordinator)
        func codes(_ request: BatchDeleteRequest) -> Int? {
            do {
                try ContextHandle(coordinator: coordinator).performAndWait { context in
                    _ = try context.execute(request)
                }
                return nil
            } catch {
                return (error as NSError).code
            }
        }

        #expect(codes(BatchDeleteRequest(fetchRequest: FetchRequest("Book"))) == 1600)
        var alone = BatchDeleteRequest(fetchRequest: FetchRequest("Tag"))
        alone.appliesDeleteRules = false
        var reviewed = BatchDeleteRequest(fetchRequest: FetchRequest("Book"))
        reviewed.appliesDeleteRules = false
        #expect(codes(reviewed) != nil)
        #expect(try counts(coordinator) == before)
        #expect(codes(alone) == nil)
        #expect(try counts(coordinator)["Tag"] == 0)
    }

    // MARK: Inserting

    @Test(arguments: everyEngine)
    func `an insertion saves all objects, with default values`(_ type: StoreType) throws {
        let coordinator = try stack([type])
        let result = try ContextHandle(coordinator: coordinator).performAndWait { context in
            var next = 0
            var request = BatchInsertRequest(entityName: "Book") { values in
                next += 1
                if next % 2 == 0 { values["price"] = Double(next) }
                values["title"] = "T\(next)"
                return next > 10_000
            }
            request.resultType = .objectIDs
            return try context.execute(request)
        }
        let prices = try prices(coordinator)

        #expect(result.count == 10_000 && Set(result.objectIDs).count == 10_000)
        #expect(result.changes.inserted.count == 10_000)
        #expect(prices.count == 10_000 && prices.count { $0 == 10 } == 5_001)
    }

    @Test(arguments: everyEngine)
    func `an insertion with an object that breaks a rule inserts nothing`(
        _ type: StoreType
    ) throws {
        let coordinator = try stack([type])
        let error = #expect(throws: GraphError.self) {
            try ContextHandle(coordinator: coordinator).performAndWait { context in
                _ = try context.execute(
                    BatchInsertRequest(
                        entityName: "Book", objects: [["price": 1.0], ["price": -1.0]]))
            }
        }
        #expect((error as NSError?)?.code == 1620)
        #expect(try counts(coordinator)["Book"] == 0)
    }

    @Test(
        arguments: everyEngine,
        [
            StandardMergePolicy.error, .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump,
            .overwrite,
        ])
    func `an insertion with unique values of others follows the merge policy`(
        _ type: StoreType, _ policy: StandardMergePolicy
    ) throws {
        let coordinator = try stack([type])
        try fill(coordinator)
        let insertion = Result {
            try ContextHandle(coordinator: coordinator).performAndWait { context in
                context.mergePolicy = policy
                return try context.execute(
                    BatchInsertRequest(
                        entityName: "Author",
                        objects: [
                            ["name": "Ann 0"], ["name": "Bob", "born": 1],
                            ["name": "Bob", "born": 2],
                        ]))
            }
        }
        let authors = try ContextHandle(coordinator: coordinator).performAndWait { context in
            var request = FetchRequest<ManagedObject>("Author")
            request.sortDescriptors = [FetchSortDescriptor("name")]
            return try context.fetch(request).map { author in
                let books = try author.value(forKeyPath: "books.@count") as? Int64 ?? -1
                return "\(try author.value(forKey: "born") ?? "-") \(books)"
            }
        }

        switch policy.mergeType {
        case .error:
            #expect((try? insertion.get()) == nil)
            #expect(authors == ["1950 9"])
        case .mergeByPropertyStoreTrump: #expect(authors == ["1950 9", "1 0"])
        case .mergeByPropertyObjectTrump: #expect(authors == ["1950 9", "2 0"])
        default: #expect(authors == ["- 9", "2 0"])
        }
    }
}
