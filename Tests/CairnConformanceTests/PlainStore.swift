import CairnConformance
import CairnMemory
import CairnModel
import CairnStore
import Foundation

/// Opens stores of a sound engine that has no options, computes no derived attributes and has no self-check.
struct PlainHarness: StoreHarness {
    var engine: any PersistentStore.Type { PlainStore.self }
    var worker: WorkerExecutable? { nil }

    func location(_ name: String, in folder: URL) -> StoreLocation {
        .memory("\(folder.lastPathComponent)/\(name)")
    }
}

/// An in-memory store that implements only what the contract requires.
final class PlainStore: PersistentStore {
    static let type: StoreType = "Plain"
    static let capabilities = StoreCapabilities(readsDuringSave: true)

    private let base: InMemoryStore

    private init(_ base: InMemoryStore) { self.base = base }

    static func open(_ request: OpenRequest) throws(StoreError) -> PlainStore {
        if let option = request.options.keys.first {
            throw .invalidOption(option, detail: "a plain store has no options")
        }
        if request.model.entities.contains(where: { $0.attributes.contains(where: \.isDerived) }) {
            throw .unsupported(
                request.location, feature: "a derived attribute", advice: "Use another engine.")
        }
        return PlainStore(try InMemoryStore.open(request))
    }

    var number: StoreNumber { base.number }
    var request: OpenRequest { base.request }
    func metadata() throws(StoreError) -> StoreMetadata {
        var metadata = try base.metadata()
        metadata.type = Self.type
        return metadata
    }
    func snapshot() throws(StoreError) -> any StoreSnapshot { try base.snapshot() }
    func beginSave() throws(StoreError) -> any SaveTransaction { try base.beginSave() }
    func close() throws(StoreError) { try base.close() }
}
