import Foundation

/// A folder of files that is replaced as a whole, so that after a crash either the old folder or
/// the new one exists.
///
/// A new folder is written beside the old one, and the two exchange their names in one step. Saving
/// fails on file systems that cannot do that (Linux `RENAME_EXCHANGE`, macOS `RENAME_SWAP`).
package struct DurableFolder: Sendable {
    private let file: DurableFile

    /// - Parameter file: the path of the folder itself.
    package init(_ file: DurableFile) { self.file = file }

    // MARK: Reading

    /// Reads one file of the folder.
    ///
    /// - Throws: `ENOENT` if the folder or the file does not exist, `ENOTDIR` if the folder's path
    ///   leads to something else.
    package func read(_ name: String) throws(FileFailure) -> [UInt8] {
        try Self.read(name, in: try hold()).readAll()
    }

    /// Reads all files of the folder, all of them from the same state. Returns no files if there is
    /// no file named `main`.
    ///
    /// - Parameter main: the name of a file that every folder of the caller's kind has. Without
    ///   this check, large folders of other kinds would be read.
    /// - Throws: the errors of ``read(_:)``.
    package func readAll(
        whereThereIs main: String
    ) throws(FileFailure) -> (files: [String: [UInt8]], held: HeldFile, stamp: FileStamp) {
        while true {
            let held = try hold()
            let stamp = try held.stamp()
            let files = Result { () throws(FileFailure) in try contents(held, whereThereIs: main) }
            // If a save has replaced the folder in the meantime, names and bytes may be from
            // different states.
            guard try file.stamp() == stamp else { continue }
            return (try files.get(), held, stamp)
        }
    }

    private func contents(
        _ held: HeldFile, whereThereIs main: String
    ) throws(FileFailure) -> [String: [UInt8]] {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: file.path) else {
            throw file.failure("read")
        }
        guard names.contains(main) else { return [:] }
        var files: [String: [UInt8]] = [:]
        // Ignore hidden files, which belong to the desktop.
        for name in names where !name.hasPrefix(".") {
            files[name] = try Self.read(name, in: held).readAll()
        }
        return files
    }

    /// Opens the folder, so that it can be locked.
    ///
    /// - Throws: `ENOENT` if the folder does not exist, `ENOTDIR` if its path leads to something
    ///   else.
    package func hold() throws(FileFailure) -> HeldFile {
        let descriptor = open(file.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw file.failure("open") }
        return try HeldFile(descriptor, path: file.path)
    }

    private static func read(_ name: String, in folder: HeldFile) throws(FileFailure) -> HeldFile {
        // Without O_NONBLOCK, opening a named pipe would wait for a writer.
        try folder.openFile(name, O_RDONLY | O_NONBLOCK)
    }

    // MARK: Writing

    /// Writes the files to a new folder beside this one and makes them durable.
    ///
    /// A file with the same bytes as in the old folder is linked instead of written.
    ///
    /// - Throws: a failure if a file cannot be written, or if its name is not a valid file name. No
    ///   folder is left then.
    package func prepare(_ files: [String: [UInt8]]) throws(FileFailure) -> PendingFile {
        let path = file.newTemporaryPath()
        guard mkdir(path, 0o700) == 0 else { throw file.failure("create a folder next to") }
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            let failure = file.failure("open")
            rmdir(path)
            throw failure
        }
        let held = try HeldFile(descriptor, path: path)
        let pending = PendingFile(held, replacing: file)
        try held.takeModeAndOwner(of: file.path)
        // If there is no old folder, all files are written.
        let old = try? hold()
        for (name, bytes) in files {
            guard !name.isEmpty, !name.contains("/"), !name.contains("\0"), !name.hasPrefix(".")
            else { throw FileFailure(operation: "name a file", path: path, code: EINVAL) }
            if let old, let there = try? Self.read(name, in: old), there.isRegular,
                try there.readAll() == bytes, old.link(name, to: held)
            {
                continue
            }
            try held.openFile(name, O_RDWR | O_CREAT | O_EXCL).write(bytes)
        }
        try held.synchronizeContents(Array(files.keys))
        return pending
    }
}
