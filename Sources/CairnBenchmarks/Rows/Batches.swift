import Cairn

/// Changes of many rows without a context's objects.
struct Batches: Workload {
    let name = "batch"
    let title = "insert, update and delete all rows by batch requests"
    let about = About(
        goal: "insert: SQLite ≤ 1.1, LMDB ≤ 2; update, delete: SQLite ≤ 1.2, LMDB ≤ 2 of C",
        heldFixed: """
            all items inserted with all values and a to-one; the same price and title set in all; \
            all deleted; each in one transaction, with the versions checked
            """,
        varied: """
            C binds and steps, or gets and puts, once for each item; Cairn makes objects of a few \
            thousand items at a time, sets their values and validates; updates and deletes by rows
            """)

    func plan(in setting: Setting) throws -> WorkloadPlan {
        let values = setting.shelf.values(setting.size)
        let insert = Contender("Cairn", .ours, goal: setting.ratioGoal(1.1, lmdb: 2)) {
            try setting.changing(.folders) { stack in
                try stack.inContext { try $0.insertAsBatch(values) }
            }
        }
        let update = Contender("Cairn", .ours, goal: setting.ratioGoal(1.2, lmdb: 2)) {
            try setting.changing(.items) { stack in
                try stack.inContext { context in
                    var request = BatchUpdateRequest(entityName: "Item")
                    request.propertiesToUpdate = [
                        "price": Edit.priceOfAll, "title": Edit.titleOfAll,
                    ]
                    return try Self.sample { try context.execute(request).count }
                }
            }
        }
        let delete = Contender("Cairn", .ours, goal: setting.ratioGoal(1.2, lmdb: 2)) {
            try setting.changing(.items) { stack in
                try stack.inContext { context in
                    var request = BatchDeleteRequest(fetchRequest: FetchRequest("Item"))
                    request.resultType = .count
                    return try Self.sample { try context.execute(request).count }
                }
            }
        }
        return .contests(
            [("insert", insert), ("update", update), ("delete", delete)].map { part, ours in
                Contest(
                    part: part, unit: "object", durability: setting.engine.durability, [ours])
            })
    }

    private static func sample(_ body: () throws -> Int) throws -> Sample {
        var watch = Stopwatch()
        let count = try watch.time(body)
        return Sample(watch, operations: count, checksum: 0)
    }
}

extension Edit {
    /// The values that a batch gives to all items.
    package static let priceOfAll = 0.125
    package static let titleOfAll = "the same title of all items"
}

extension ManagedObjectContext {
    /// Inserts the items in the folders that the store has. This is what is timed.
    fileprivate func insertAsBatch(_ values: [ItemValues]) throws -> Sample {
        let folders = try fetchIDs(Folder.self)
        var watch = Stopwatch()
        let result = try watch.time {
            try insertAll(Item.self, from: values.enumerated()) { item, element in
                let id = folders[ItemValues.folderIndex(at: element.offset, of: values.count)]
                guard let folder = try item.managedObjectContext?.object(with: id) as? Folder
                else { return }
                item.setAll(element.element, folder: folder)
            }
        }
        return Sample(watch, operations: result.count, checksum: 0)
    }
}
