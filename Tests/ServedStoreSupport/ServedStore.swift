import CairnBinary
import CairnModel
import CairnStore
import Foundation

/// A durable store that has the address of a service instead of a file.
///
/// The service is simulated: each store is a binary store in a folder that only this file knows. All
/// processes see the same stores.
package final class ServedStore: PersistentStore {
    package static let type: StoreType = "Served"
    package static let capabilities = StoreCapabilities(
        isDurable: true, rewritesWholeFile: true, readsDuringSave: true, isShared: true,
        groupsSaves: true, savesInParts: true, options: [.timeout])
    /// The password that an address must contain.
    package static let password = "open-sesame"

    package let request: OpenRequest
    private let base: BinaryStore

    private init(_ base: BinaryStore, _ request: OpenRequest) {
        self.base = base
        self.request = request
    }

    package static func open(_ request: OpenRequest) throws(StoreError) -> ServedStore {
        try request.options.requireKnown(capabilities.options, by: "a store of type \(type)")
        guard let service = request.location.service else {
            throw .unsupported(
                request.location, feature: "no service",
                advice: "Give the URL of a service for a store of type \(type).")
        }
        guard service.urlWithPassword.password == password else {
            throw .engineFailure(
                EngineFailure(
                    type: type, location: request.location, operation: "connect", code: 28,
                    message: "the password is wrong"))
        }
        var hidden = request
        hidden.location = .file(ServedStore.folder.appending(path: service.urlWithPassword.path))
        return ServedStore(try BinaryStore.open(hidden), request)
    }

    /// The folder in which the service keeps its stores.
    static let folder = FileManager.default.temporaryDirectory.appending(path: "cairn-served")

    package var number: StoreNumber { base.number }

    package func metadata() throws(StoreError) -> StoreMetadata {
        var metadata = try base.metadata()
        metadata.type = Self.type
        return metadata
    }

    package func snapshot() throws(StoreError) -> any StoreSnapshot { try base.snapshot() }
    package func beginSave() throws(StoreError) -> any SaveTransaction { try base.beginSave() }
    package func close() throws(StoreError) { try base.close() }
}
