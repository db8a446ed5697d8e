import Foundation

/// Resolves symbolic links in paths.
package enum RealPath {
    /// Returns the path with every symbolic link resolved, even if the file does not exist.
    ///
    /// Links are resolved only as far as their targets are UTF-8. A Swift string cannot represent
    /// any other path, and would name another file.
    package static func of(_ path: String) -> String {
        var path = path
        // `realpath` requires that the file exists, so the file's own links are resolved here. 40
        // is the limit on Linux.
        for _ in 0..<40 {
            guard let target = linkTarget(of: path) else { break }
            path =
                target.hasPrefix("/") ? target : path.pathParts.folder + "/" + target
        }
        let (folder, name) = path.pathParts
        guard let real = realpath(folder.isEmpty ? "." : folder, nil) else { return path }
        defer { free(real) }
        guard let parent = String(validatingCString: real) else { return path }
        return (parent == "/" ? "" : parent) + "/" + name
    }

    /// Returns the target of a symbolic link, or `nil` if the path is not a symbolic link or the
    /// target is not UTF-8.
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
    /// The file URL with the symbolic links in its path resolved. See ``RealPath/of(_:)``.
    package var followingLinks: URL { URL(fileURLWithPath: RealPath.of(path)) }

    /// The path of ``Foundation/URL/standardizedFileURL``. That URL is not created if the path is
    /// already standardized.
    package var standardPath: String {
        let path = path
        return path.isStandardPath ? path : standardizedFileURL.path
    }
}

extension String {
    /// The path without its last component, and that component. The component contains no slash.
    /// Only if the path consists of slashes, both are `/`.
    package var pathParts: (folder: String, name: String) {
        let slash = UInt8(ascii: "/")
        guard let last = utf8.lastIndex(where: { $0 != slash }) else {
            return isEmpty ? ("", "") : ("/", "/")
        }
        let trimmed = self[...last]
        guard let divide = trimmed.utf8.lastIndex(of: slash) else { return ("", String(trimmed)) }
        let name = String(trimmed[trimmed.utf8.index(after: divide)...])
        guard let end = trimmed[..<divide].utf8.lastIndex(where: { $0 != slash }) else {
            return ("/", name)
        }
        return (String(trimmed[...end]), name)
    }

    /// Whether the path contains nothing that standardizing could remove.
    fileprivate var isStandardPath: Bool {
        var previous: UInt8?
        for byte in utf8 {
            // `/.` begins the components `.` and `..`, but also the names of hidden files. All of
            // them are left to Foundation.
            if previous == UInt8(ascii: "/"), byte == UInt8(ascii: "/") || byte == UInt8(ascii: ".")
            {
                return false
            }
            previous = byte
        }
        return hasPrefix("/") && previous != UInt8(ascii: "/")
    }
}
