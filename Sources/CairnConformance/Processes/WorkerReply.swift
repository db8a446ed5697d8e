import CairnModel
import CairnStore
import Foundation

/// A worker's answer to a command, sent as one line of JSON on the worker's standard output.
struct WorkerReply: Codable, Sendable {
    var texts: [String] = []
    /// The URIs of objects. They are used because store numbers have no meaning in other processes.
    var uris: [URL] = []
    var generation: UInt64 = 0
    /// The case of the ``StoreError`` that the command threw. `nil` if it did not throw such an error.
    var refusal: String?
    /// The text of any other error that the command threw. `nil` if it threw no other error.
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
