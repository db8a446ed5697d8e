import CairnMemory
import CairnModel
import CairnStore
import Dispatch
import Foundation
import Synchronization

/// Lets a reader in after both stores of a save are prepared and before the first commits.
package final class Meeting: Sendable {
    package static let option: StoreOption = "meeting"
    private static let all = Mutex<[String: Meeting]>([:])

    package let name = UUID().uuidString
    /// Signalled when both stores have prepared.
    package let isPrepared = DispatchSemaphore(value: 0)
    private let readerCame = DispatchSemaphore(value: 0)
    private let prepareCount = Mutex(0)

    package init() { Self.all.withLock { $0[name] = self } }

    package static func named(_ value: MetadataValue?) -> Meeting? {
        guard case .string(let name)? = value else { return nil }
        return all.withLock { $0[name] }
    }

    fileprivate func prepared() {
        let count = prepareCount.withLock { count in
            count += 1
            return count
        }
        guard count == 2 else { return }
        isPrepared.signal()
        readerCame.wait()
    }

    fileprivate func reads() { readerCame.signal() }
}

/// An in-memory store in which readers wait until the current save has ended.
package final class ExclusiveStore: PersistentStore {
    package static let type: StoreType = "Exclusive"
    package static let capabilities = StoreCapabilities(
        rewritesWholeFile: true, options: [Meeting.option])

    private let store: InMemoryStore
    private let lock = DispatchSemaphore(value: 1)
    private let meeting: Meeting?

    private init(_ store: InMemoryStore, _ meeting: Meeting?) {
        self.store = store
        self.meeting = meeting
    }

    package static func open(_ request: OpenRequest) throws(StoreError) -> ExclusiveStore {
        var request = request
        let meeting = Meeting.named(request.options.removeValue(forKey: Meeting.option))
        return ExclusiveStore(try InMemoryStore.open(request), meeting)
    }

    package var number: StoreNumber { store.number }
    package var request: OpenRequest { store.request }
    package func metadata() throws(StoreError) -> StoreMetadata { try store.metadata() }
    package func snapshot() throws(StoreError) -> any StoreSnapshot {
        meeting?.reads()
        lock.wait()
        defer { lock.signal() }
        return try store.snapshot()
    }
    package func beginSave() throws(StoreError) -> any SaveTransaction {
        lock.wait()
        do {
            return Transaction(try store.beginSave(), lock, meeting)
        } catch {
            lock.signal()
            throw error
        }
    }
    package func close() throws(StoreError) { try store.close() }

    private final class Transaction: SaveTransaction {
        private let transaction: any SaveTransaction
        private let lock: DispatchSemaphore
        private let meeting: Meeting?
        private var isOver = false

        init(
            _ transaction: any SaveTransaction, _ lock: DispatchSemaphore, _ meeting: Meeting?
        ) {
            self.meeting = meeting
            self.transaction = transaction
            self.lock = lock
        }

        func reserveKeys(
            _ counts: [EntityNumber: Int]
        ) throws(StoreError) -> [EntityNumber: Range<Int64>] {
            try transaction.reserveKeys(counts)
        }
        func prepare(_ request: SaveRequest) throws(StoreError) {
            try transaction.prepare(request)
            meeting?.prepared()
        }
        func commit() throws(StoreError) -> SaveOutcome {
            let outcome = try transaction.commit()
            rollback()
            return outcome
        }
        func rollback() {
            transaction.rollback()
            if !isOver { lock.signal() }
            isOver = true
        }
    }
}
