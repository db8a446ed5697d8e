import Cairn
import Foundation

/// A store of an engine that cannot be written while a file with the store's name and `.fails` is there.
final class FailingStore<Base: FileStore>: FileStore {
    static var type: StoreType { Base.type }
    static var capabilities: StoreCapabilities { Base.capabilities }

    private let base: Base

    private init(_ base: Base) { self.base = base }

    static func open(_ request: OpenRequest) throws(StoreError) -> FailingStore {
        FailingStore(try Base.open(request))
    }

    static func metadata(at location: StoreLocation) throws(StoreError) -> StoreMetadata {
        try Base.metadata(at: location)
    }

    static func model(at location: StoreLocation) throws(StoreError) -> ModelDescription? {
        try Base.model(at: location)
    }

    static func entityCounts(at location: StoreLocation) throws(StoreError) -> [String: Int] {
        try Base.entityCounts(at: location)
    }

    static func companionFiles(of location: StoreLocation) -> [StoreFile] {
        Base.companionFiles(of: location)
    }

    var number: StoreNumber { base.number }
    var request: OpenRequest { base.request }

    func metadata() throws(StoreError) -> StoreMetadata { try base.metadata() }
    func snapshot() throws(StoreError) -> any StoreSnapshot { try base.snapshot() }
    func close() throws(StoreError) { try base.close() }

    func beginSave() throws(StoreError) -> any SaveTransaction {
        FailingTransaction(base: try base.beginSave(), location: request.location)
    }

    func outcome(of id: SaveID) throws(StoreError) -> CommitOutcome {
        try base.outcome(of: id)
    }
}

private final class FailingTransaction: SaveTransaction {
    private let base: any SaveTransaction
    private let location: StoreLocation

    init(base: any SaveTransaction, location: StoreLocation) {
        self.base = base
        self.location = location
    }

    func reserveKeys(
        _ counts: [EntityNumber: Int]
    ) throws(StoreError) -> [EntityNumber: Range<Int64>] { try base.reserveKeys(counts) }

    func prepare(_ request: SaveRequest) throws(StoreError) { try base.prepare(request) }

    func commit() throws(StoreError) -> SaveOutcome {
        let path = location.description + ".fails"
        guard !FileManager.default.fileExists(atPath: path) else {
            throw .fileFailure(FileFailure(operation: "write", path: path, code: ENOSPC))
        }
        return try base.commit()
    }

    func rollback() { base.rollback() }
}
