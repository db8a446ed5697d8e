import Cairn
import Foundation
import Synchronization

/// A store of another engine that fails when a test wants it to.
package final class FailingStore<Base: PersistentStore>: PersistentStore {
    package static var type: StoreType { Base.type }
    package static var capabilities: StoreCapabilities { Base.capabilities }

    private let base: Base

    private init(_ base: Base) { self.base = base }

    package static func open(_ request: OpenRequest) throws(StoreError) -> FailingStore {
        FailingStore(try Base.open(request))
    }

    package var number: StoreNumber { base.number }
    package var request: OpenRequest { base.request }
    package var commitsDurably: Bool { base.commitsDurably }

    package func metadata() throws(StoreError) -> StoreMetadata { try base.metadata() }
    package func newestGeneration() throws(StoreError) -> StoreGeneration {
        try base.newestGeneration()
    }
    package func snapshot() throws(StoreError) -> any StoreSnapshot { try base.snapshot() }
    package func synchronize() throws(StoreError) { try base.synchronize() }
    package func outcome(of id: SaveID) throws(StoreError) -> CommitOutcome {
        try base.outcome(of: id)
    }
    package func close() throws(StoreError) { try base.close() }

    package func beginSave() throws(StoreError) -> any SaveTransaction {
        FailingTransaction(try base.beginSave(), at: request.location)
    }
}

extension FailingStore: FileStore where Base: FileStore {
    package static func metadata(at location: StoreLocation) throws(StoreError) -> StoreMetadata {
        try Base.metadata(at: location)
    }

    package static func model(at location: StoreLocation) throws(StoreError) -> ModelDescription? {
        try Base.model(at: location)
    }

    package static func companionFiles(of location: StoreLocation) -> [StoreFile] {
        Base.companionFiles(of: location)
    }

    package static func recognizes(_ location: StoreLocation) -> Bool { Base.recognizes(location) }

    package static func withExclusiveUse<Result>(
        of location: StoreLocation, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try Base.withExclusiveUse(of: location, body)
    }
}

/// A step of a save that fails as on a full disk, as long as a test wants it.
package enum FailingStep: Sendable {
    case prepare, commit

    private static let failing = Mutex<[String: FailingStep]>([:])

    /// Has the step fail for a store. `nil` has no step fail.
    package static func set(_ step: FailingStep?, in store: any PersistentStore) {
        failing.withLock { $0[key(store.request.location)] = step }
    }

    private static func key(_ location: StoreLocation) -> String {
        location.fileURL?.resolvingSymlinksInPath().path ?? "\(location)"
    }

    package func check(_ location: StoreLocation) throws(StoreError) {
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
