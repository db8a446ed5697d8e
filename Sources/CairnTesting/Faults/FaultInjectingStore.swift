import Cairn
import CairnStore
import Foundation
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

    /// Returns the state of the wrapped store to copy. Counts as one call of ``StoreOperation/snapshot``.
    package func stateToCopy() throws(StoreError) -> (any StateToCopy)? {
        try calls.check(.snapshot)
        return try base.stateToCopy()
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
        do {
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

// Optional capabilities of the wrapped engine. Calls that need no open store are always passed on.

extension FaultInjectingStore: FileStore where Base: FileStore {
    /// The description of the wrapped engine's files.
    package static var fileDescription: String { Base.fileDescription }

    /// Returns whether the wrapped engine recognizes the file at a location.
    package static func recognizes(_ location: StoreLocation) -> Bool { Base.recognizes(location) }

    /// Returns the metadata of a store, which the wrapped engine reads.
    package static func metadata(at location: StoreLocation) throws(StoreError) -> StoreMetadata {
        try Base.metadata(at: location)
    }

    /// Returns the model of a store, which the wrapped engine reads.
    package static func model(at location: StoreLocation) throws(StoreError) -> ModelDescription? {
        try Base.model(at: location)
    }

    /// Returns the model that the wrapped engine infers from a store.
    package static func derivedModel(
        at location: StoreLocation
    ) throws(StoreError) -> ModelDescription? {
        try Base.derivedModel(at: location)
    }

    /// Returns the numbers of rows, which the wrapped engine counts.
    package static func entityCounts(
        at location: StoreLocation
    ) throws(StoreError) -> [String: Int] {
        try Base.entityCounts(at: location)
    }

    /// Returns the companion files of a store of the wrapped engine.
    package static func companionFiles(of location: StoreLocation) -> [StoreFile] {
        Base.companionFiles(of: location)
    }

    /// Calls a closure while the wrapped engine has exclusive use of a store.
    package static func withExclusiveUse<Result>(
        of location: StoreLocation, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try Base.withExclusiveUse(of: location, body)
    }
}

extension FaultInjectingStore: InPlaceMigratingStore where Base: InPlaceMigratingStore {
    /// Returns the steps of a migration in place by the wrapped engine.
    package static func stepsInPlace(
        _ changes: ModelCorrespondence, configuration: String?, defersCleanup: Bool
    ) -> [InPlaceStep]? {
        Base.stepsInPlace(changes, configuration: configuration, defersCleanup: defersCleanup)
    }

    /// Migrates a store in place with the wrapped engine.
    package static func migrateInPlace(
        _ request: OpenRequest, _ changes: ModelCorrespondence, defersCleanup: Bool,
        reporting report: (_ done: Int, _ total: Int) -> Bool
    ) throws(StoreError) -> Bool {
        try Base.migrateInPlace(
            request.withoutFaults, changes, defersCleanup: defersCleanup, reporting: report)
    }

    /// Returns whether a migration of the wrapped store has left work for later.
    package func hasDeferredSteps() throws(StoreError) -> Bool { try base.hasDeferredSteps() }

    /// Does one step of the work that migrations of the wrapped store have left out.
    package func finishDeferredStep() throws(StoreError) -> Bool { try base.finishDeferredStep() }
}

extension FaultInjectingStore: ExternalDataStore where Base: ExternalDataStore {
    package static func sharedFolder(
        of location: StoreLocation, except leaving: URL?
    ) -> (shared: URL, own: URL)? {
        Base.sharedFolder(of: location, except: leaving)
    }

    package static func externalNames(
        at location: StoreLocation
    ) throws(StoreError) -> (all: Set<String>, removable: Set<String>) {
        try Base.externalNames(at: location)
    }

    package func unnamedFiles() throws(StoreError) -> [URL] { try base.unnamedFiles() }

    package func removeUnnamedFiles() throws(StoreError) -> [URL] {
        try base.removeUnnamedFiles()
    }
}

extension FaultInjectingStore: HistoryStore where Base: HistoryStore {
    /// Returns the newest position in the history of the wrapped store.
    package func newestHistoryPosition() throws(StoreError) -> HistoryPosition? {
        try base.newestHistoryPosition()
    }

    /// Returns transactions of the wrapped store. Counts as one call of ``StoreOperation/snapshot``.
    package func history(
        after position: HistoryPosition?, limit: Int
    ) throws(StoreError) -> [PersistentHistoryTransaction] {
        try calls.check(.snapshot)
        return try base.history(after: position, limit: limit)
    }

    /// Purges the history of the wrapped store.
    package func purgeHistory(before position: HistoryPosition) throws(StoreError) {
        try base.purgeHistory(before: position)
    }

    /// Adds transactions of another store to the history of the wrapped store.
    package func addHistory(_ transactions: [PersistentHistoryTransaction]) throws(StoreError) {
        try base.addHistory(transactions)
    }
}

extension FaultInjectingStore: SelfCheckingStore where Base: SelfCheckingStore {
    /// Returns the size of the wrapped store.
    package func byteCount() throws(StoreError) -> Int? { try base.byteCount() }

    /// Returns the disagreements that the wrapped store finds.
    package func findDisagreements() throws(StoreError) -> [StoreDisagreement] {
        try base.findDisagreements()
    }

    /// Returns the values that the wrapped store cannot explain.
    package func findUnexplainedValues() throws(StoreError) -> [StoreDisagreement] {
        try base.findUnexplainedValues()
    }
}

/// A save of a ``FaultInjectingStore``, whose calls can fail.
final class FaultInjectingTransaction: SaveTransaction {
    private let base: any SaveTransaction
    private let calls: StoreCalls

    init(_ base: any SaveTransaction, _ calls: StoreCalls) {
        (self.base, self.calls) = (base, calls)
    }

    func reserveKeys(
        _ counts: [EntityNumber: Int]
    ) throws(StoreError) -> [EntityNumber: Range<Int64>] {
        try calls.check(.reserveKeys)
        return try base.reserveKeys(counts)
    }

    func keepOthersWaiting() throws(StoreError) { try base.keepOthersWaiting() }

    func prepare(_ request: SaveRequest) throws(StoreError) {
        calls.faults?.noteSaveName(request.id)
        try calls.check(.prepare)
        try base.prepare(request)
        calls.faults?.noteSuccess(.prepare)
    }

    func prepareNext(_ request: SaveRequest) throws(StoreError) -> RowBatch {
        calls.faults?.noteSaveName(request.id)
        try calls.check(.prepare)
        let recomputed = try base.prepareNext(request)
        calls.faults?.noteSuccess(.prepare)
        return recomputed
    }

    func discardLast() throws(StoreError) { try base.discardLast() }

    func members(
        _ relationship: Relationship, ofDeleted owners: [ObjectID]
    ) throws(StoreError) -> RelatedIDs? {
        try calls.check(.relationship)
        return try base.members(relationship, ofDeleted: owners)
    }

    func commit() throws(StoreError) -> SaveOutcome {
        try calls.check(.commit)
        let outcome = try base.commit()
        try calls.check(.commitAnswer)
        return outcome
    }

    func rollback() { base.rollback() }
}
