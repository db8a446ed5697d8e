import CairnFiles
import CairnStore
import Foundation

/// The files of one store, with symbolic links resolved.
struct SQLiteFiles: Sendable {
    /// The path of the store's main file.
    let path: String
    /// The location that the caller gave.
    let location: StoreLocation
    /// The path of the write-ahead log.
    let journal: String
    /// The path of the shared memory in which SQLite keeps the index of the log.
    let logIndex: String
    /// The path of the file that a save or a checkpoint locks. It is never renamed or removed.
    let lock: String
    let externalData: ExternalDataFolder

    /// - Throws: `.unsupported` if the location is not a file.
    init(_ location: StoreLocation) throws(StoreError) {
        guard let url = location.fileURL, url.isFileURL else {
            throw .unsupported(
                location, feature: "no file",
                advice: "Pass the URL of a file for a SQLite store, or use an in-memory store.")
        }
        self.location = location
        // The log, the lock file and external data are next to the file that a symbolic link leads
        // to.
        path = RealPath.of(url.path)
        (journal, logIndex, lock) = (path + "-wal", path + "-shm", path + "-lock")
        externalData = ExternalDataFolder(besideFileAt: path)
    }

    var url: URL { URL(fileURLWithPath: path) }
    var folder: String { path.pathParts.folder }
    var rollbackJournal: String { path + "-journal" }

    /// Whether the main file exists.
    var exists: Bool { access(path, F_OK) == 0 }

    /// The size of the write-ahead log in bytes, or 0 if it does not exist.
    var journalByteCount: Int64 {
        var status = stat()
        return stat(journal, &status) == 0 ? Int64(status.st_size) : 0
    }

    /// The other files of the store, whether they exist or not.
    var companions: [StoreFile] {
        [
            StoreFile(URL(fileURLWithPath: journal), .data),
            StoreFile(URL(fileURLWithPath: rollbackJournal), .data),
            StoreFile(externalData.support, .data),
            StoreFile(externalData.ownSupport, .data),
            StoreFile(URL(fileURLWithPath: logIndex), .scratch),
            StoreFile(URL(fileURLWithPath: lock), .scratch),
        ]
    }
}
