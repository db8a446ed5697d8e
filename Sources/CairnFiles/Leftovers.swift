import Foundation

/// Files and folders under temporary names, which a process left that was killed while it made something.
package enum Leftovers {
    /// Returns the paths of the entries of a folder whose names begin with a prefix. Returns none if the
    /// folder cannot be read.
    ///
    /// - Parameter isLeftover: looks at what follows the prefix. A store whose own name begins like the
    ///   prefix must not be taken for a leftover.
    package static func paths(
        in folder: String, prefix: String, where isLeftover: (Substring) -> Bool
    ) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasPrefix(prefix) && isLeftover($0.dropFirst(prefix.count)) }
            .map { folder + "/" + $0 }
    }
}
