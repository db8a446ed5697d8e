import Foundation

/// Where a store keeps its data.
public enum StoreLocation: Sendable, Hashable, CustomStringConvertible {
    /// A file; companions (`-wal`, lock, external data) stand beside it.
    case file(URL)
    /// Nowhere but in this process, under a name.
    case memory(String)
    /// With a service, such as a server: a URL with a scheme of the engine's own.
    case service(ServiceLocation)

    /// The file. Returns `nil` for a store in memory and for one of a service.
    public var fileURL: URL? {
        if case .file(let url) = self { url } else { nil }
    }

    /// The address at a service. Returns `nil` for a file and for a store in memory.
    public var service: ServiceLocation? {
        if case .service(let service) = self { service } else { nil }
    }

    /// How errors name the store: the file's path, the name in memory, or the address at the service
    /// without its password.
    public var description: String {
        switch self {
        case .file(let url): url.path
        case .memory(let name): "memory “\(name)”"
        case .service(let service): service.description
        }
    }
}
