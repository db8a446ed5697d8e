import Foundation

/// A file or folder that belongs to a store beside its main file.
public struct StoreFile: Sendable, Hashable {
    /// What becomes of the file when its store is moved or removed.
    public enum Role: Sendable, Hashable {
        /// Holds data of the store, and goes where the store goes.
        case data
        /// Made again when needed, such as a lock or a shared-memory index.
        case scratch
    }

    /// Where the file stands, or would stand: it need not be there.
    public var url: URL
    /// What becomes of it when its store is moved or removed.
    public var role: Role

    /// Names a file beside a store; touches nothing.
    public init(_ url: URL, _ role: Role) {
        self.url = url
        self.role = role
    }
}
