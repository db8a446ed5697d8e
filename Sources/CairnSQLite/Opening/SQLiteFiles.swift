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

    /// Checks the files that SQLite opens by their names: that none of them is a symbolic link, and
    /// that this process may open them. SQLite itself would not name the file.
    ///
    /// Call this directly before SQLite opens the store. (SQLite 3.40.1 does not follow links at these
    /// names, but nothing promises that other versions do not.)
    ///
    /// - Parameter mayWrite: whether the connection may write.
    /// - Throws: `.fileFailure`; `.unsupported` if the rollback journal names another file.
    func requireLogs(mayWrite: Bool) throws(StoreError) {
        let isWritten = mayWrite && access(path, W_OK) == 0
        do {
            for log in [journal, rollbackJournal] {
                try PosixFile.requireCompanion(log, isWritten: isWritten)
            }
            // Readers write the index, too.
            try PosixFile.requireCompanion(
                logIndex, isWritten: isWritten || access(logIndex, W_OK) == 0)
            guard isWritten, try rollbackJournalNamesAnotherFile() else { return }
        } catch {
            throw .fileFailure(error)
        }
        throw .unsupported(
            location, feature: "a rollback journal, \(rollbackJournal), that names another file",
            advice:
                "SQLite would delete that file. If the journal is from a program that saves to several"
                + " databases in one transaction, open the store with that program. Otherwise, find"
                + " out who created the journal, and remove it.")
    }

    /// Returns whether the rollback journal ends with the name of a super-journal, which SQLite deletes
    /// after it has rolled back the transaction (pager.c, `readSuperJournal` and `pager_delsuper`).
    ///
    /// Only transactions over several attached databases have one. Neither Core Data nor Cairn uses
    /// them, but whoever gave away the store could name any file of this user.
    private func rollbackJournalNamesAnotherFile() throws(FileFailure) -> Bool {
        guard try PosixFile.companionStatus(rollbackJournal) != nil else { return false }
        let bytes: [UInt8]
        do {
            bytes = try HeldFile(companion: rollbackJournal, O_RDONLY).readEnd(16)
        } catch {
            // Another process has ended its transaction.
            if error.code == ENOENT { return false }
            throw error
        }
        // The end consists of the length of the name, its checksum, and a mark.
        return bytes.count == 16 && bytes.suffix(8).elementsEqual(Self.journalMark)
            && bytes.prefix(4).contains { $0 != 0 }
    }

    private static let journalMark: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]

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
