import CairnStore
import Foundation

/// A store's location as one process tells it to another: with the password of a service.
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

    /// The location that was written down.
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

    /// Whether each process has a store of its own there.
    var isMemory: Bool { if case .memory = self { true } else { false } }
}
