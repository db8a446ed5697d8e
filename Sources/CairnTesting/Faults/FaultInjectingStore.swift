import Cairn
import CairnStore
import Synchronization

/// A store that wraps a store of another engine, so that a test can make its calls fail.
///
/// Either register this type for the wrapped engine, or use ``CairnStack/StoreRegistry/injectingFaults()``,
/// which wraps all engines of a registry. Then open a store with the ``StoreFaults/options`` of the object
/// that controls it:
///
/// ```swift
/// let faults = StoreFaults()
/// let coordinator = PersistentStoreCoordinator(
///     managedObjectModel: model, registry: StoreRegistry.builtIn.injectingFaults())
/// try coordinator.addPersistentStore(ofType: .sqlite, at: url, options: faults.options)
/// ```
///
/// A store that is opened without these options passes all calls on. The store has the type, the files and
/// the capabilities of `Base`.
package final class FaultInjectingStore<Base: PersistentStore>: PersistentStore {
    /// The type of the wrapped engine.
    package static var type: StoreType { Base.type }

    /// The capabilities of the wrapped engine, plus the option that names a ``StoreFaults`` object.
    package static var capabilities: StoreCapabilities {
        var capabilities = Base.capabilities
        capabilities.options.insert(.faults)
        return capabilities
    }

    let base: Base
    let calls: StoreCalls
    /// The request that opened the store, including the option that names a ``StoreFaults`` object.
    package let request: OpenRequest
    private let isOpen = Atomic(true)

    private init(_ base: Base, _ calls: StoreCalls, options: StoreOptions) {
        self.base = base
        self.calls = calls
        var request = base.request
        request.options = options
        self.request = request
        calls.faults?.noteOpened(request.location)
    }

    deinit { noteClosed() }

    /// Opens a store of the wrapped engine.
    ///
    /// - Throws: The errors of the wrapped engine; the error of an injected fault; `.invalidOption` if the
    ///   ``StoreFaults`` object of the options no longer exists.
    package static func open(_ request: OpenRequest) throws(StoreError) -> FaultInjectingStore {
        let calls = StoreCalls(
            faults: try StoreFaults.find(for: request), type: type, location: request.location)
        try calls.check(.open)
        let base = try Base.open(request.withoutFaults)
        return FaultInjectingStore(base, calls, options: request.options)
    }

    /// The number of the wrapped store.
    package var number: StoreNumber { base.number }
    /// Whether commits of the wrapped store are durable.
    package var commitsDurably: Bool { base.commitsDurably }

    /// Returns the metadata of the wrapped store.
    package func metadata() throws(StoreError) -> StoreMetadata {
        try calls.check(.metadata)
        return try base.metadata()
    }

    /// Returns a snapshot of the wrapped store. Its calls can fail, too.
    package func snapshot() throws(StoreError) -> any StoreSnapshot {
        try calls.check(.snapshot)
        let snapshot = FaultInjectingSnapshot(try base.snapshot(), calls)
        calls.faults?.noteSuccess(.snapshot)
        return snapshot
    }

    /// Returns the newest generation of the wrapped store.
    package func newestGeneration() throws(StoreError) -> StoreGeneration {
        try calls.check(.newestGeneration)
        return try base.newestGeneration()
    }

    /// Begins a save in the wrapped store. Its calls can fail, too.
    package func beginSave() throws(StoreError) -> any SaveTransaction {
        try calls.check(.beginSave)
        return FaultInjectingTransaction(try base.beginSave(), calls)
    }

    /// Begins a save and reserves keys. Counts as one call of ``StoreOperation/beginSave``.
    package func beginSave(reserving counts: [EntityNumber: Int]) throws(StoreError) -> BegunSave {
        try calls.check(.beginSave)
        var begun = try base.beginSave(reserving: counts)
        begun.transaction = FaultInjectingTransaction(begun.transaction, calls)
        return begun
    }

    /// Reserves keys in the wrapped store.
    package func reserveKeys(
        _ counts: [EntityNumber: Int]
    ) throws(StoreError) -> [EntityNumber: Range<Int64>]? {
        try calls.check(.reserveKeys)
        return try base.reserveKeys(counts)
    }

    /// Returns whether the wrapped store recorded a save.
    package func outcome(of id: SaveID) throws(StoreError) -> CommitOutcome {
        try calls.check(.outcome)
        return try base.outcome(of: id)
    }

    /// Makes the commits of the wrapped store durable.
    package func synchronize() throws(StoreError) {
        try calls.check(.synchronize)
        try base.synchronize()
    }

    /// Closes the wrapped store, even if this method throws the error of an injected fault.
    package func close() throws(StoreError) {
        defer { noteClosed() }
        do throws(StoreError) {
            try calls.check(.close)
        } catch {
            // The test expects the injected error, so ignore an error of the wrapped store.
            try? base.close()
            throw error
        }
        try base.close()
    }

    private func noteClosed() {
        guard isOpen.exchange(false, ordering: .relaxed) else { return }
        calls.faults?.noteClosed(request.location)
    }
}

extension OpenRequest {
    /// This request without the option, which the wrapped engine does not know.
    var withoutFaults: OpenRequest {
        var request = self
        request.options[.faults] = nil
        return request
    }
}
