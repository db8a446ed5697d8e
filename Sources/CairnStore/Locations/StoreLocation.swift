import Foundation

/// The location of a store's data.
public enum StoreLocation: Sendable, Hashable, CustomStringConvertible {
    /// A file. Companion files and folders, such as the `-wal` file, the lock file and external
    /// data, are in the same folder.
    case file(URL)
    /// A name for a store in the memory of this process.
    case memory(String)
    /// A service, such as a server, at a URL whose scheme belongs to the engine.
    case service(ServiceLocation)

    /// The URL of the file, or `nil` for a store in memory or of a service.
    public var fileURL: URL? {
        if case .file(let url) = self { url } else { nil }
    }

    /// The address of the service, or `nil` for a store in a file or in memory.
    package var service: ServiceLocation? {
        if case .service(let service) = self { service } else { nil }
    }

    /// The store's name in errors: the file's path, the name in memory, or the address of the
    /// service without its password.
    public var description: String {
        switch self {
        case .file(let url): url.path
        case .memory(let name): "memory “\(name)”"
        case .service(let service): service.description
        }
    }
}
