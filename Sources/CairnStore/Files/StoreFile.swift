import Foundation

/// A file or folder beside a store's main file that belongs to the store.
public struct StoreFile: Sendable, Hashable {
    /// What happens to a companion file when its store is moved or removed.
    public enum Role: Sendable, Hashable {
        /// The file contains data of the store, and is moved or removed with the store.
        case data
        /// The file is created again when needed, for example a lock file or a shared-memory index.
        case scratch
    }

    /// Where the file is. The file need not exist.
    public var url: URL
    /// What happens to the file when its store is moved or removed.
    public var role: Role

    /// Describes a file beside a store. The file is not accessed.
    public init(_ url: URL, _ role: Role) {
        self.url = url
        self.role = role
    }
}
