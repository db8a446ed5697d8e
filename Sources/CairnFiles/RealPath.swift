import Foundation

/// Paths with their symbolic links followed.
package enum RealPath {
    /// Returns the path with every symbolic link followed, that of a missing file too.
    ///
    /// Follows only as far as the path is UTF-8: a Swift string can hold no other one, and would name
    /// another file.
    package static func of(_ path: String) -> String {
        var path = path
        // `realpath` wants the file to be there. As many links as Linux follows.
        for _ in 0..<40 {
            guard let target = linkTarget(of: path) else { break }
            path =
                target.hasPrefix("/")
                ? target : (path as NSString).deletingLastPathComponent + "/" + target
        }
        let folder = (path as NSString).deletingLastPathComponent
        guard let real = realpath(folder.isEmpty ? "." : folder, nil) else { return path }
        defer { free(real) }
        guard let parent = String(validatingCString: real) else { return path }
        return (parent == "/" ? "" : parent) + "/" + (path as NSString).lastPathComponent
    }

    /// What a symbolic link holds; `nil` for anything else, and for a link to a path that is not UTF-8.
    private static func linkTarget(of path: String) -> String? {
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
            count = buffer.withMemoryRebound(to: CChar.self) { buffer in
                buffer.baseAddress.map { max(0, readlink(path, $0, buffer.count)) } ?? 0
            }
        }
        return bytes.isEmpty ? nil : String(validating: bytes, as: UTF8.self)
    }
}

extension URL {
    /// The file URL with the links of its path followed; see ``RealPath/of(_:)``.
    package var followingLinks: URL { URL(fileURLWithPath: RealPath.of(path)) }
}
