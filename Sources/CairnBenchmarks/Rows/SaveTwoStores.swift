import Cairn
import Foundation

/// A save over two stores, which a journal makes atomic.
struct SaveTwoStores: Workload {
    let name = "save-two-stores"
    let title = "save a new object to each of two stores"
    let about = About(
        goal: "looked at, not set",
        heldFixed: """
            100 pairs of new items (3 in engines that write a whole file), one item of a pair for \
            each of two stores of all items; each save is synced; what both files hold afterwards \
            is read back and compared
            """,
        varied: """
            the engine's library runs a transaction in each store; Cairn saves into one store and \
            then into the other; Cairn saves into both at once. The journal's share is what one \
            save takes more than two
            """)

    func plan(in setting: Setting) throws -> WorkloadPlan {
        guard setting.engine.isFile else {
            return .notApplicable(
                because: "the row copies the file of a store")
        }
        let values = setting.newItems(setting.saveCount(100))
        return .contests([
            Contest(
                unit: "pair", durability: setting.engine.durability,
                [
                    Self.ours("Cairn, two saves", setting, values, isOneSave: false),
                    Self.ours("Cairn, one save", setting, values, isOneSave: true),
                ])
        ])
    }

    private static func ours(
        _ name: String, _ setting: Setting, _ values: [ItemValues], isOneSave: Bool
    ) -> Contender {
        Contender(name, .ours) {
            try setting.changingTwo { context, targets in
                var watch = Stopwatch()
                for value in values {
                    try watch.time {
                        for (store, folder) in targets {
                            let item = try context.insert(Item.self)
                            try context.assign(item, to: store)
                            item.setAll(value, folder: folder)
                            if !isOneSave { try context.save() }
                        }
                        if isOneSave { try context.save() }
                    }
                }
                return Sample(watch, operations: values.count, checksum: 0)
            }
        }
    }
}

extension Setting {
    /// Returns a second store with all items and its own identifier. It must not be changed.
    func secondItemsURL() throws -> URL {
        try shelf.template("second-\(engine.rawValue)-\(size)") { url in
            let stack = try shelf.open(engine, at: url)
            try shelf.fill(stack, .items, size)
            try stack.close()
        }
    }

    /// Changes two new stores through one context, and reads back the content of both.
    ///
    /// - Parameter body: Receives the stores, each with its first folder.
    fileprivate func changingTwo(
        _ body: @Sendable (ManagedObjectContext, [(any PersistentStore, Folder)]) throws -> Sample
    ) throws -> Sample {
        let copies = try [itemsURL(), secondItemsURL()].map { try shelf.fresh(copying: $0) }
        defer { for copy in copies { shelf.discard(copy) } }
        let stack = try shelf.open(engine, at: copies[0])
        let coordinator = stack.coordinator
        try coordinator.addPersistentStore(
            ofType: engine, configurationName: nil, at: copies[1],
            options: shelf.options(of: engine))
        var sample = try stack.inContext { context in
            let targets = try coordinator.persistentStores.map { store in
                var request = FetchRequest<Folder>()
                request.affectedStores = [store]
                let folders: [Folder] = try context.fetch(request)
                return (store, folders[0])
            }
            return try body(context, targets)
        }
        try stack.close()
        var checksum = RowChecksum([try shelf.checksum(of: copies[0], engine)])
        checksum.add(try shelf.checksum(of: copies[1], engine))
        sample.checksum = checksum.value
        return sample
    }
}
