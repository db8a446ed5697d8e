import CairnFiles
import CairnStore
import Foundation

/// The files of one store, symbolic links resolved.
struct SQLiteFiles: Sendable {
    /// The store itself.
    let path: String
    let location: StoreLocation
    /// The write-ahead log.
    let journal: String
    /// The shared memory in which SQLite keeps the index of the log.
    let logIndex: String
    /// Locked by whoever saves or checkpoints. Never renamed or removed.
    let lock: String
    let externalData: ExternalDataFolder

    /// - Throws: `.unsupported`, where the location is no file.
    init(_ location: StoreLocation) throws(StoreError) {
        guard let url = location.fileURL, url.isFileURL else {
            throw .unsupported(
                location, feature: "no file",
                advice: "A SQLite store is a file; use the in-memory store otherwise.")
        }
        self.location = location
        // The journal, lock and data stand beside the file that a link leads to.
        path = RealPath.of(url.path)
        (journal, logIndex, lock) = (path + "-wal", path + "-shm", path + "-lock")
        externalData = ExternalDataFolder(besideFileAt: path)
    }

    var url: URL { URL(fileURLWithPath: path) }
    var folder: String { path.pathParts.folder }
    var rollbackJournal: String { path + "-journal" }

    /// Whether there is a file.
    var exists: Bool { access(path, F_OK) == 0 }

    /// Bytes of the write-ahead log. 0 if there is none.
    var journalByteCount: Int64 {
        var status = stat()
        return stat(journal, &status) == 0 ? Int64(status.st_size) : 0
    }

    /// Beside the store, whether there or not.
    var companions: [StoreFile] {
        [
            StoreFile(URL(fileURLWithPath: journal), .data),
            StoreFile(URL(fileURLWithPath: rollbackJournal), .data),
            StoreFile(externalData.support, .data),
            StoreFile(URL(fileURLWithPath: logIndex), .scratch),
            StoreFile(URL(fileURLWithPath: lock), .scratch),
        ]
    }
}
