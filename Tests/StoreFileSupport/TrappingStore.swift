import CairnModel
import CairnStore
import Foundation

/// A planted defect: an engine that trusts a length in its file, like a careless parser.
package final class TrappingStore: FileStore {
    package static let type: StoreType = "Trapping"
    package static let capabilities = StoreCapabilities(
        isDurable: true, rewritesWholeFile: true)

    package let number = StoreNumber(rawValue: 1)
    package let request: OpenRequest

    /// Reads a length at byte 16, and then that many bytes. Only a damaged file is shorter.
    private init(_ request: OpenRequest) throws(StoreError) {
        self.request = request
        guard let url = request.location.fileURL, let data = try? Data(contentsOf: url),
            data.count > 24
        else { throw .notFound(request.location) }
        let bytes = Array(data)
        let count = bytes[16..<24].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        _ = bytes[Int(truncatingIfNeeded: count) - 1]
        throw .closed(request.location)
    }

    package static func metadata(at location: StoreLocation) throws(StoreError) -> StoreMetadata {
        throw .notFound(location)
    }
    package static func model(at location: StoreLocation) throws(StoreError) -> ModelDescription? {
        nil
    }
    package static func open(_ request: OpenRequest) throws(StoreError) -> TrappingStore {
        try TrappingStore(request)
    }
    package static func companionFiles(of location: StoreLocation) -> [StoreFile] { [] }
    package func metadata() throws(StoreError) -> StoreMetadata { throw .closed(request.location) }
    package func snapshot() throws(StoreError) -> any StoreSnapshot {
        throw .closed(request.location)
    }
    package func beginSave() throws(StoreError) -> any SaveTransaction {
        throw .closed(request.location)
    }
    package func close() throws(StoreError) {}
}
