import Foundation

/// A file operation that the operating system refused.
public struct FileFailure: Error, Sendable, Hashable {
    /// What was tried: `open`, `fsync`, `rename`, ….
    public var operation: String
    /// The file or folder, as a path of the operating system.
    public var path: String
    /// `errno`.
    public var code: Int32

    /// Takes `errno` as it stood right after the call that failed.
    public init(operation: String, path: String, code: Int32) {
        self.operation = operation
        self.path = path
        self.code = code
    }

    /// Whether the file system does not let this process write, which may still read.
    package var meansReadOnly: Bool { [EACCES, EROFS, EPERM].contains(code) }

    /// The operating system's words for the code.
    public var message: String { String(cString: strerror(code)) }
}
