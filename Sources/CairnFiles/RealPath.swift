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
                target.hasPrefix("/") ? target : path.pathParts.folder + "/" + target
        }
        let (folder, name) = path.pathParts
        guard let real = realpath(folder.isEmpty ? "." : folder, nil) else { return path }
        defer { free(real) }
        guard let parent = String(validatingCString: real) else { return path }
        return (parent == "/" ? "" : parent) + "/" + name
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

    /// The path of ``Foundation/URL/standardizedFileURL``, which is not made if the path is standard.
    package var standardPath: String {
        let path = path
        return path.isStandardPath ? path : standardizedFileURL.path
    }
}

extension String {
    /// The path without its last component, and that component. The component contains no slash,
    /// except that both are `/` if the path is nothing else.
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

    /// Whether the path has no part that standardizing could take away.
    fileprivate var isStandardPath: Bool {
        var previous: UInt8?
        for byte in utf8 {
            // `/.` begins `.`, `..` and the names of hidden files, which are looked at closely.
            if previous == UInt8(ascii: "/"), byte == UInt8(ascii: "/") || byte == UInt8(ascii: ".")
            {
                return false
            }
            previous = byte
        }
        return hasPrefix("/") && previous != UInt8(ascii: "/")
    }
}
