import CairnStore
import Foundation

/// A store's location in the form that is sent to another process. It includes the password of a service.
enum WorkerLocation: Codable, Sendable {
    case file(path: String)
    case memory(String)
    case service(URL)

    /// Creates the representation of a store's location.
    init(_ location: StoreLocation) {
        self =
            switch location {
            case .file(let url): .file(path: url.path)
            case .memory(let name): .memory(name)
            case .service(let service): .service(service.urlWithPassword)
            }
    }

    /// Returns the store's location.
    ///
    /// - Throws: ``RuleViolation`` if the URL is not a service's address.
    func location() throws(RuleViolation) -> StoreLocation {
        switch self {
        case .file(let path): .file(URL(fileURLWithPath: path))
        case .memory(let name): .memory(name)
        case .service(let url):
            .service(try requireValue(ServiceLocation(url), "the address of the service"))
        }
    }

    /// Whether each process has its own store at the location.
    var isMemory: Bool { if case .memory = self { true } else { false } }
}
