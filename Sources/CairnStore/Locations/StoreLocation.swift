import Foundation

/// Where a store keeps its data.
public enum StoreLocation: Sendable, Hashable, CustomStringConvertible {
    /// A file; companions (`-wal`, lock, external data) stand beside it.
    case file(URL)
    /// Nowhere but in this process, under a name.
    case memory(String)

    /// The file; nil for a store in memory.
    public var fileURL: URL? {
        if case .file(let url) = self { url } else { nil }
    }

    /// The file's path, or the name in memory: how errors name the store.
    public var description: String {
        switch self {
        case .file(let url): url.path
        case .memory(let name): "memory “\(name)”"
        }
    }
}
