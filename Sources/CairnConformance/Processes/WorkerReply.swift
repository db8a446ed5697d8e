import CairnModel
import CairnStore
import Foundation

/// The answer of a worker: one line of JSON on its standard output.
struct WorkerReply: Codable, Sendable {
    var texts: [String] = []
    /// The URIs of objects. Store numbers of one process may have no meaning in another one.
    var uris: [URL] = []
    var generation: UInt64 = 0
    /// The case of the ``StoreError`` that the command failed with. `nil` if there was no such error.
    var refusal: String?
    /// The text of any other error. `nil` if there was no other error.
    var failure: String?

    init() {}
    init(texts: [String]) { self.texts = texts }
    init(_ ids: [ObjectID]) { uris = ids.map { $0.uriRepresentation() } }

    init(_ error: any Error) {
        if let error = error as? StoreError {
            refusal = StoreErrorCase(error).rawValue
            texts = ["\(error)"]
        } else {
            failure = "\(error)"
        }
    }
}
