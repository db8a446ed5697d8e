import CairnMemory
import CairnModel
import CairnStore
import CairnTesting
import Foundation
import StackSupport

/// How a ``NamedStore`` treats the names of saves.
protocol NamePolicy {
    static var type: StoreType { get }
    static var namedSaves: StoreCapabilities.NamedSaves { get }
}

enum WantsNames: NamePolicy {
    static let type: StoreType = "WantsNames"
    static let namedSaves = StoreCapabilities.NamedSaves.wanted
}

enum RemembersNames: NamePolicy {
    static let type: StoreType = "RemembersNames"
    static let namedSaves = StoreCapabilities.NamedSaves.remembered
}

enum ForgetsNames: NamePolicy {
    static let type: StoreType = "ForgetsNames"
    static let namedSaves = StoreCapabilities.NamedSaves.forgotten
}

/// An in-memory store that claims to be durable.
final class NamedStore<Names: NamePolicy>: PersistentStore {
    /// Whether the store has forgotten its saves when it is asked about one.
    static var hasForgotten: StoreOption { "hasForgotten" }

    static var type: StoreType { Names.type }
    static var capabilities: StoreCapabilities {
        StoreCapabilities(
            isDurable: true, readsDuringSave: true, isShared: true, groupsSaves: true,
            savesInParts: true,
            namedSaves: Names.namedSaves, options: [hasForgotten])
    }

    let request: OpenRequest
    private let base: InMemoryStore

    private init(_ base: InMemoryStore, _ request: OpenRequest) {
        (self.base, self.request) = (base, request)
    }

    static func open(_ request: OpenRequest) throws(StoreError) -> NamedStore {
        var plain = request
        plain.options = [:]
        return NamedStore(try InMemoryStore.open(plain), request)
    }

    var number: StoreNumber { base.number }
    func metadata() throws(StoreError) -> StoreMetadata { try base.metadata() }
    func snapshot() throws(StoreError) -> any StoreSnapshot { try base.snapshot() }
    func beginSave() throws(StoreError) -> any SaveTransaction { try base.beginSave() }
    func outcome(of id: SaveID) throws(StoreError) -> CommitOutcome {
        request.options[Self.hasForgotten] == true ? .forgotten : try base.outcome(of: id)
    }
    func close() throws(StoreError) { try base.close() }
}

extension LibraryStack {
    /// Returns a stack without stores, whose engines treat the names of saves differently.
    static func namingSaves() throws -> LibraryStack {
        try LibraryStack(engines: [
            FaultInjectingStore<NamedStore<WantsNames>>.self,
            FaultInjectingStore<NamedStore<RemembersNames>>.self,
            FaultInjectingStore<NamedStore<ForgetsNames>>.self,
        ])
    }

    /// Adds an in-memory store that claims to be durable.
    @discardableResult
    func add<Names: NamePolicy>(
        _ names: Names.Type, _ faults: StoreFaults, _ configuration: String? = nil,
        hasForgotten: Bool = false, timeout: Int64? = nil
    ) throws -> any PersistentStore {
        var options = faults.options
        options[.timeout] = timeout.map(MetadataValue.integer)
        options[NamedStore<Names>.hasForgotten] = .boolean(hasForgotten)
        return try coordinator.addPersistentStore(
            ofType: names.type, configurationName: configuration,
            at: URL(string: "uncertain://localhost/\(UUID().uuidString)"), options: options)
    }
}
