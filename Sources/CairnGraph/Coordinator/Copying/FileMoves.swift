import CairnStore
import Foundation

/// Renames that can be undone.
struct FileMoves {
    private var done: [(from: URL, to: URL)] = []

    /// Renames a file or folder, within one file system. Nothing may be at the new place.
    ///
    /// - Throws: what the system says; EEXIST where something is there.
    mutating func move(_ file: URL, to place: URL) throws(FileFailure) {
        var status = stat()
        guard lstat(place.path, &status) != 0 else {
            throw FileFailure(operation: "rename", path: place.path, code: EEXIST)
        }
        guard rename(file.path, place.path) == 0 else {
            throw FileFailure(operation: "rename", path: file.path, code: errno)
        }
        done.append((file, place))
    }

    /// Renames everything back, the last first; what cannot be renamed back stays.
    mutating func undo() {
        for (from, to) in done.reversed() { rename(to.path, from.path) }
        done = []
    }

    /// Makes a file's bytes, or a folder's entries, durable.
    ///
    /// - Throws: what the system says.
    static func sync(_ file: URL) throws(FileFailure) {
        let descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw FileFailure(operation: "open", path: file.path, code: errno)
        }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else {
            throw FileFailure(operation: "fsync", path: file.path, code: errno)
        }
    }
}
