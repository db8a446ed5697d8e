import Foundation

/// Files and folders with temporary names, left by a process that was killed while it created
/// something.
package enum Leftovers {
    /// Returns the paths of the entries in a folder whose names begin with a prefix. Returns an
    /// empty array if the folder cannot be read.
    ///
    /// - Parameters:
    ///   - folder: the path of the folder. Its subfolders are not searched.
    ///   - prefix: the beginning of the names.
    ///   - isLeftover: returns whether the rest of the name, after the prefix, is that of a
    ///     leftover. A store whose own name begins with the prefix must not be mistaken for a
    ///     leftover.
    package static func paths(
        in folder: String, prefix: String, where isLeftover: (Substring) -> Bool
    ) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasPrefix(prefix) && isLeftover($0.dropFirst(prefix.count)) }
            .map { folder + "/" + $0 }
    }
}
