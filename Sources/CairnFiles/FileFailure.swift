import Foundation

/// A file operation that the operating system refused.
public struct FileFailure: Error, Sendable, Hashable {
    /// The operation that failed, such as `open`, `fsync` or `rename`.
    public var operation: String
    /// The path of the file or folder.
    public var path: String
    /// The value of `errno`.
    public var code: Int32

    /// Creates a failure. Pass the value that `errno` had right after the failed call.
    public init(operation: String, path: String, code: Int32) {
        self.operation = operation
        self.path = path
        self.code = code
    }

    /// Whether the failure means that this process may not write to the file system, although it
    /// may be able to read.
    package var meansReadOnly: Bool { [EACCES, EROFS, EPERM].contains(code) }

    /// The operating system's message for the code.
    public var message: String { String(cString: strerror(code)) }
}

extension Error {
    /// The operating system's code that underlies a Foundation error, or `EIO` if the error has no
    /// such code.
    package var posixCode: Int32 {
        let underlying = (self as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
        return (underlying?.code).flatMap(Int32.init(exactly:)) ?? EIO
    }
}
