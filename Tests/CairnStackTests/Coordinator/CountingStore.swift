import CairnMemory
import CairnModel
import CairnStore
import Foundation
import Synchronization

/// The calls that a ``CountingStore`` received, in order.
final class CallList: Sendable {
    static let option: StoreOption = "calls"
    private static let all = Mutex<[String: CallList]>([:])

    let name = UUID().uuidString
    /// Whether keys can be reserved outside of saves.
    let reservesApart: Bool
    private let list = Mutex<[String]>([])

    init(reservesApart: Bool = false) {
        self.reservesApart = reservesApart
        Self.all.withLock { $0[name] = self }
    }

    static func named(_ value: MetadataValue?) -> CallList? {
        guard case .string(let name)? = value else { return nil }
        return all.withLock { $0[name] }
    }

    func note(_ call: String) { list.withLock { $0.append(call) } }

    /// Returns the calls since the last call of this function, and removes them.
    func take() -> [String] {
        list.withLock { list in
            defer { list = [] }
            return list
        }
    }
}

/// An in-memory store that stands for a remote store. Each call represents a message.
final class CountingStore: PersistentStore {
    static let type: StoreType = "Counting"
    static let capabilities = StoreCapabilities(
        isDurable: false, readsDuringSave: true, isShared: false,
        options: [CallList.option])

    private let store: InMemoryStore
    private let calls: CallList

    private init(_ store: InMemoryStore, _ calls: CallList) {
        self.store = store
        self.calls = calls
    }

    static func recognizes(_ location: StoreLocation) -> Bool { false }
    static func metadata(at location: StoreLocation) throws(StoreError) -> StoreMetadata {
        throw .notFound(location)
    }
    static func model(at location: StoreLocation) throws(StoreError) -> ModelDescription? { nil }
    static func companionFiles(of location: StoreLocation) -> [StoreFile] { [] }
    static func open(_ request: OpenRequest) throws(StoreError) -> CountingStore {
        var request = request
        let calls = CallList.named(request.options.removeValue(forKey: CallList.option))
        return CountingStore(try InMemoryStore.open(request), calls ?? CallList())
    }

    var number: StoreNumber { store.number }
    var request: OpenRequest { store.request }
    func metadata() throws(StoreError) -> StoreMetadata {
        calls.note("metadata")
        return try store.metadata()
    }
    func snapshot() throws(StoreError) -> any StoreSnapshot {
        calls.note("snapshot")
        return try store.snapshot()
    }
    func newestGeneration() throws(StoreError) -> StoreGeneration {
        calls.note("generation")
        return try store.newestGeneration()
    }
    func beginSave() throws(StoreError) -> any SaveTransaction {
        try beginSave(reserving: [:]).transaction
    }
    func beginSave(
        reserving counts: [EntityNumber: Int]
    ) throws(StoreError) -> BegunSave {
        calls.note(counts.isEmpty ? "begin" : "begin with keys")
        var begun = try store.beginSave(reserving: counts)
        begun.transaction = Transaction(begun.transaction, calls)
        return begun
    }
    func reserveKeys(
        _ counts: [EntityNumber: Int]
    ) throws(StoreError) -> [EntityNumber: Range<Int64>]? {
        guard calls.reservesApart else { return nil }
        calls.note("keys")
        let save = try store.beginSave()
        defer { save.rollback() }
        return try save.reserveKeys(counts)
    }
    func close() throws(StoreError) { try store.close() }

    private final class Transaction: SaveTransaction {
        private let base: any SaveTransaction
        private let calls: CallList

        init(_ base: any SaveTransaction, _ calls: CallList) {
            self.base = base
            self.calls = calls
        }

        func reserveKeys(
            _ counts: [EntityNumber: Int]
        ) throws(StoreError) -> [EntityNumber: Range<Int64>] {
            calls.note("keys in the save")
            return try base.reserveKeys(counts)
        }
        func prepare(_ request: SaveRequest) throws(StoreError) {
            calls.note("prepare")
            try base.prepare(request)
        }
        func commit() throws(StoreError) -> SaveOutcome {
            calls.note("commit")
            return try base.commit()
        }
        func rollback() { base.rollback() }
    }
}
