import Foundation

/// A folder of files that is replaced as a whole, so that a crash leaves the old or the new one.
///
/// A new folder is written beside the old one, and the two exchange their names in one step; file
/// systems that cannot do that (Linux `RENAME_EXCHANGE`, macOS `RENAME_SWAP`) refuse a save.
package struct DurableFolder: Sendable {
    private let file: DurableFile

    /// - Parameter file: the folder's own place.
    package init(_ file: DurableFile) { self.file = file }

    // MARK: Reading

    /// Reads one file of the folder.
    ///
    /// - Throws: `ENOENT` where the folder or the file is not there, `ENOTDIR` where the place is
    ///   no folder.
    package func read(_ name: String) throws(FileFailure) -> [UInt8] {
        try Self.read(name, in: try hold()).readAll()
    }

    /// Reads every file of the folder, all of one state; none, where one name is not among them.
    ///
    /// - Parameter main: keeps a folder of something else from being read.
    /// - Throws: as ``read(_:)``.
    package func readAll(
        whereThereIs main: String
    ) throws(FileFailure) -> (files: [String: [UInt8]], held: HeldFile, stamp: FileStamp) {
        while true {
            let held = try hold()
            let stamp = try held.stamp()
            let files = Result { () throws(FileFailure) in try contents(held, whereThereIs: main) }
            // Where a save put another folder in this one's place meanwhile, names and bytes may
            // be of two states.
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
        // Hidden files are a desktop's own.
        for name in names where !name.hasPrefix(".") {
            files[name] = try Self.read(name, in: held).readAll()
        }
        return files
    }

    /// Opens the folder, so that it can be locked.
    ///
    /// - Throws: `ENOENT` if the folder is not there, `ENOTDIR` if the place is no folder.
    package func hold() throws(FileFailure) -> HeldFile {
        let descriptor = open(file.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw file.failure("open") }
        return try HeldFile(descriptor, path: file.path)
    }

    private static func read(_ name: String, in folder: HeldFile) throws(FileFailure) -> HeldFile {
        // Without O_NONBLOCK a named pipe would wait for a writer.
        try folder.openFile(name, O_RDONLY | O_NONBLOCK)
    }

    // MARK: Writing

    /// Writes the files to a new folder beside this one and makes them durable.
    ///
    /// A file whose bytes are those of the old folder is linked, not written.
    ///
    /// - Throws: if a file cannot be written, or its name is not a file name. No folder is left then.
    package func prepare(_ files: [String: [UInt8]]) throws(FileFailure) -> PendingFile {
        let path = file.newTemporaryPath()
        guard mkdir(path, 0o700) == 0 else { throw file.failure("create a folder beside") }
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            let failure = file.failure("open")
            rmdir(path)
            throw failure
        }
        let held = try HeldFile(descriptor, path: path)
        let pending = PendingFile(held, replacing: file)
        try held.takeModeAndOwner(of: file.path)
        // Without an old folder everything is written.
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
