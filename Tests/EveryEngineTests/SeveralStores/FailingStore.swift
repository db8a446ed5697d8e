import Cairn
import Foundation
import Synchronization

/// A store of another engine that fails when a test wants it to.
final class FailingStore<Base: PersistentStore>: PersistentStore {
    static var type: StoreType { Base.type }
    static var capabilities: StoreCapabilities { Base.capabilities }

    private let base: Base

    private init(_ base: Base) { self.base = base }

    static func open(_ request: OpenRequest) throws(StoreError) -> FailingStore {
        FailingStore(try Base.open(request))
    }

    var number: StoreNumber { base.number }
    var request: OpenRequest { base.request }
    var commitsDurably: Bool { base.commitsDurably }

    func metadata() throws(StoreError) -> StoreMetadata { try base.metadata() }
    func newestGeneration() throws(StoreError) -> StoreGeneration { try base.newestGeneration() }
    func snapshot() throws(StoreError) -> any StoreSnapshot { try base.snapshot() }
    func synchronize() throws(StoreError) { try base.synchronize() }
    func outcome(of id: SaveID) throws(StoreError) -> CommitOutcome { try base.outcome(of: id) }
    func close() throws(StoreError) { try base.close() }

    func beginSave() throws(StoreError) -> any SaveTransaction {
        FailingTransaction(try base.beginSave(), at: request.location)
    }
}

extension FailingStore: FileStore where Base: FileStore {
    static func metadata(at location: StoreLocation) throws(StoreError) -> StoreMetadata {
        try Base.metadata(at: location)
    }

    static func model(at location: StoreLocation) throws(StoreError) -> ModelDescription? {
        try Base.model(at: location)
    }

    static func companionFiles(of location: StoreLocation) -> [StoreFile] {
        Base.companionFiles(of: location)
    }

    static func recognizes(_ location: StoreLocation) -> Bool { Base.recognizes(location) }

    static func withExclusiveUse<Result>(
        of location: StoreLocation, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try Base.withExclusiveUse(of: location, body)
    }
}

/// A step of a save that fails as on a full disk, as long as a test wants it.
enum FailingStep: Sendable {
    case prepare, commit

    private static let failing = Mutex<[String: FailingStep]>([:])

    /// Has the step fail for a store. `nil` has no step fail.
    static func set(_ step: FailingStep?, in store: any PersistentStore) {
        failing.withLock { $0[key(store.request.location)] = step }
    }

    private static func key(_ location: StoreLocation) -> String {
        location.fileURL?.resolvingSymlinksInPath().path ?? "\(location)"
    }

    func check(_ location: StoreLocation) throws(StoreError) {
        let path = Self.key(location)
        guard Self.failing.withLock({ $0[path] }) == self else { return }
        throw .fileFailure(FileFailure(operation: "write", path: path, code: ENOSPC))
    }
}

private final class FailingTransaction: SaveTransaction {
    private let base: any SaveTransaction
    private let location: StoreLocation

    init(_ base: any SaveTransaction, at location: StoreLocation) {
        self.base = base
        self.location = location
    }

    func reserveKeys(
        _ counts: [EntityNumber: Int]
    ) throws(StoreError) -> [EntityNumber: Range<Int64>] { try base.reserveKeys(counts) }

    func prepare(_ request: SaveRequest) throws(StoreError) {
        try FailingStep.prepare.check(location)
        try base.prepare(request)
    }

    func commit() throws(StoreError) -> SaveOutcome {
        try FailingStep.commit.check(location)
        return try base.commit()
    }

    func rollback() { base.rollback() }
}
