import Cairn
import Foundation

/// The stores of a bank, and the operations that processes perform on them.
struct BankSubject: Codable, Sendable {
    /// The engine of each store.
    var engines: [String]
    /// The folder that contains only the stores' files.
    var folder: String

    var files: [URL] {
        engines.indices.map { URL(fileURLWithPath: folder + "/store-\($0)") }
    }

    /// Whether the stores keep histories. Banks of one and of two stores do.
    private var tracksHistory: Bool { engines.count <= 2 }

    /// Opens stores with a new coordinator.
    ///
    /// - Parameter indices: The indices of the stores, or `nil` for all.
    func coordinator(
        indices: [Int]? = nil, registry: StoreRegistry = Engines.registry,
        options: StoreOptions = [:]
    ) throws -> PersistentStoreCoordinator {
        var options = options
        if tracksHistory { options[.tracksHistory] = true }
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: try Bank.compiled.get(), registry: registry)
        for index in indices ?? Array(engines.indices) {
            try coordinator.addPersistentStore(
                ofType: StoreType(engines[index]), at: files[index], options: options)
        }
        return coordinator
    }

    /// Creates the stores, with an account in each and a voucher in the first.
    func make() throws {
        let coordinator = try coordinator()
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            for (index, store) in coordinator.persistentStores.enumerated() {
                let account = try context.insertNewObject(forEntityName: "Account")
                try account.setValue(Int64(index), forKey: "index")
                try account.setValue(Int64(Bank.openingBalance), forKey: "balance")
                try context.assign(account, to: store)
                // Saves one store after the other, which needs no journal.
                try context.save()
            }
            let voucher = try context.insertNewObject(forEntityName: "Voucher")
            for index in Bank.slips {
                let slip = try context.insertNewObject(forEntityName: "Slip")
                try slip.setValue(Int64(index), forKey: "index")
                try voucher.orderedObjects("slips").append(slip)
            }
            for object in context.insertedObjects {
                try context.assign(object, to: coordinator.persistentStores[0])
            }
            try context.save()
        }
        try coordinator.removeAll()
    }

    /// Performs the move of a save in a context of all stores, adds a receipt to each store, and moves the
    /// voucher.
    func transfer(_ save: Int, in context: ManagedObjectContext) throws {
        context.transactionAuthor = "\(save)"
        let move = Bank.move(save, among: engines.count)
        for account in try context.all("Account") {
            let index = try integer("index", of: account)
            guard index == move.from || index == move.to else { continue }
            let balance = try integer("balance", of: account)
            let change = index == move.from ? -move.amount : move.amount
            try account.setValue(Int64(balance + change), forKey: "balance")
        }
        let stores = context.persistentStoreCoordinator?.persistentStores ?? []
        let store = stores[Bank.voucherStore(after: save, among: stores.count)]
        try context.move(context.all("Voucher"), to: store)
        for store in stores {
            let receipt = try context.insertNewObject(forEntityName: "Receipt")
            try receipt.setValue(Int64(save), forKey: "save")
            try context.assign(receipt, to: store)
        }
    }

    /// Returns the number of saves in one store, if the saves were made one after the other.
    ///
    /// - Throws: `HarnessFailure` if no sequence of saves produces the store's state.
    func state(of index: Int, in coordinator: PersistentStoreCoordinator) throws -> Int {
        let content = try content(coordinator)
        let (saves, balances, vouchers) = (content.saves, content.balances, content.vouchers)
        let balance = Bank.balance(of: index, among: engines.count, after: saves)
        let hasVoucher = Bank.voucherStore(after: saves.count, among: engines.count) == index
        guard saves == Array(1..<saves.count + 1), balances == [balance],
            vouchers == (hasVoucher ? [Bank.slips] : []),
            content.slipCount == vouchers.joined().count
        else {
            throw HarnessFailure(
                "store \(index) has the saves \(saves) and holds \(balances), vouchers with the"
                    + " slips \(vouchers), and \(content.slipCount) slips")
        }
        return saves.count
    }

    /// What one store contains.
    struct Content: Sendable {
        /// The saves, in order.
        var saves: [Int]
        /// The balances of the accounts.
        var balances: [Int]
        /// The slips of each voucher.
        var vouchers: [[Int]]
        /// The number of all slips.
        var slipCount: Int
    }

    func content(of index: Int) throws -> Content {
        let coordinator = try coordinator(indices: [index])
        let content = try content(coordinator)
        try coordinator.removeAll()
        return content
    }

    private func content(_ coordinator: PersistentStoreCoordinator) throws -> Content {
        let content = try rows(coordinator)
        guard tracksHistory else { return content }
        // The saves that made the stores have no author.
        let recorded = try coordinator.history().compactMap { $0.author.flatMap(Int.init) }.sorted()
        guard recorded == content.saves else {
            throw HarnessFailure("a store has the saves \(content.saves), its history \(recorded)")
        }
        return content
    }

    private func rows(_ coordinator: PersistentStoreCoordinator) throws -> Content {
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            Content(
                saves: try context.all("Receipt").map { try integer("save", of: $0) }.sorted(),
                balances: try context.all("Account").map { try integer("balance", of: $0) },
                vouchers: try context.all("Voucher").map { voucher in
                    try voucher.orderedObjects("slips").map { try integer("index", of: $0) }
                },
                slipCount: try context.all("Slip").count)
        }
    }

    /// Returns the total of all stores, read with one fetch.
    func total(_ context: ManagedObjectContext) throws -> Int {
        try context.all("Account").map { try integer("balance", of: $0) }.reduce(0, +)
    }

    private func integer(_ key: String, of object: ManagedObject) throws -> Int {
        Int(try object.value(forKey: key) as? Int64 ?? -1)
    }
}
