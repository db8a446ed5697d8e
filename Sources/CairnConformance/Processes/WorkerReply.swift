import CairnModel
import CairnStore
import Foundation

/// What a worker answers: one line of JSON on its standard output.
struct WorkerReply: Codable, Sendable {
    var texts: [String] = []
    /// The URIs of objects: numbers of one process may mean nothing in another one.
    var uris: [URL] = []
    var generation: UInt64 = 0
    /// The case of the ``StoreError`` that the command ended with; nil: it succeeded.
    var refusal: String?
    /// Any other error's text; nil: there was none.
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
