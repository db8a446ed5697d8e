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

    /// Opens stores with a new coordinator.
    ///
    /// - Parameter indices: The indices of the stores, or `nil` for all.
    func coordinator(
        indices: [Int]? = nil, registry: StoreRegistry = Engines.registry,
        options: StoreOptions = [:]
    ) throws -> PersistentStoreCoordinator {
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: try Bank.compiled.get(), registry: registry)
        for index in indices ?? Array(engines.indices) {
            try coordinator.addPersistentStore(
                ofType: StoreType(engines[index]), at: files[index], options: options)
        }
        return coordinator
    }

    /// Creates the stores, with an account in each.
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
        }
        try coordinator.removeAll()
    }

    /// Performs the move of a save in a context of all stores, and adds a receipt to each store.
    func transfer(_ save: Int, in context: ManagedObjectContext) throws {
        let move = Bank.move(save, among: engines.count)
        for account in try context.all("Account") {
            let index = try integer("index", of: account)
            guard index == move.from || index == move.to else { continue }
            let balance = try integer("balance", of: account)
            let change = index == move.from ? -move.amount : move.amount
            try account.setValue(Int64(balance + change), forKey: "balance")
        }
        for store in context.persistentStoreCoordinator?.persistentStores ?? [] {
            let receipt = try context.insertNewObject(forEntityName: "Receipt")
            try receipt.setValue(Int64(save), forKey: "save")
            try context.assign(receipt, to: store)
        }
    }

    /// Returns the number of saves in one store, if the saves were made one after the other.
    ///
    /// - Throws: `HarnessFailure` if no sequence of saves produces the store's state.
    func state(of index: Int, in coordinator: PersistentStoreCoordinator) throws -> Int {
        let (saves, balances) = try content(coordinator)
        let balance = Bank.balance(of: index, among: engines.count, after: saves)
        guard saves == Array(1..<saves.count + 1), balances == [balance] else {
            throw HarnessFailure("store \(index) has the saves \(saves) and holds \(balances)")
        }
        return saves.count
    }

    /// Returns the saves in one store, in order, and the balances of its accounts.
    func content(of index: Int) throws -> (saves: [Int], balances: [Int]) {
        let coordinator = try coordinator(indices: [index])
        let content = try content(coordinator)
        try coordinator.removeAll()
        return content
    }

    private func content(
        _ coordinator: PersistentStoreCoordinator
    ) throws -> (saves: [Int], balances: [Int]) {
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            (
                try context.all("Receipt").map { try integer("save", of: $0) }.sorted(),
                try context.all("Account").map { try integer("balance", of: $0) }
            )
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
