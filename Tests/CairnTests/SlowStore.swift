import Cairn
import Foundation
import Synchronization

/// An in-memory store that opens only when a test permits it, or fails to open.
final class SlowStore: PersistentStore {
    static let type: StoreType = "Slow"
    static let gateOption: StoreOption = "gate"
    static let capabilities = StoreCapabilities(
        readsDuringSave: true, options: [gateOption])

    /// A gate that keeps a store from opening. Gates are identified by name.
    final class Gate: Sendable {
        private static let all = Mutex<[String: Gate]>([:])
        let name = UUID().uuidString
        private let semaphore = DispatchSemaphore(value: 0)
        private let failure = Mutex<StoreError?>(nil)

        init() { Self.all.withLock { $0[name] = self } }

        static func named(_ name: String) -> Gate? { all.withLock { $0[name] } }

        /// Lets the store open, or makes opening fail.
        func open(failingWith error: StoreError? = nil) {
            failure.withLock { $0 = error }
            semaphore.signal()
        }

        fileprivate func pass() throws(StoreError) {
            semaphore.wait()
            if let failure = failure.withLock({ $0 }) { throw failure }
        }

        /// The description of a store that waits for this gate.
        var description: PersistentStoreDescription {
            let description = PersistentStoreDescription(type: SlowStore.type)
            description.setOption(.string(name), forKey: SlowStore.gateOption)
            return description
        }
    }

    private let store: InMemoryStore

    private init(_ store: InMemoryStore) { self.store = store }

    static func open(_ request: OpenRequest) throws(StoreError) -> SlowStore {
        var request = request
        guard case .string(let name)? = request.options.removeValue(forKey: gateOption),
            let gate = Gate.named(name)
        else { throw .invalidOption(gateOption, detail: "it names a gate") }
        try gate.pass()
        return SlowStore(try InMemoryStore.open(request))
    }

    var number: StoreNumber { store.number }
    var request: OpenRequest { store.request }
    func metadata() throws(StoreError) -> StoreMetadata { try store.metadata() }
    func snapshot() throws(StoreError) -> any StoreSnapshot { try store.snapshot() }
    func beginSave() throws(StoreError) -> any SaveTransaction { try store.beginSave() }
    func close() throws(StoreError) { try store.close() }
}
