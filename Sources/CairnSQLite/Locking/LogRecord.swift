import CairnFiles
import CairnStore
import Foundation

/// Records which database file the write-ahead log next to a store belongs to.
///
/// SQLite finds a log by its name, and cannot tell whether it belongs to the file of that name. If
/// another file replaced the store's file, SQLite would write pages of the old file into the new
/// one. Therefore a process that opens a store for saving notes in Cairn's own lock file which log
/// belongs to which file. The note applies only to the very lock file and the very log that it
/// names. It does not apply to a copy of the store's folder, or to a log that another program
/// created later.
struct LogRecord {
    let files: SQLiteFiles

    private static let mark = "cairn-log 1"
    /// Enough for the mark, three file identities and a time.
    private static let mostBytes = 256

    /// Notes that the log next to the store belongs to `main`.
    ///
    /// Does not throw: if the note cannot be written, the protection is missing, but nothing else
    /// fails.
    ///
    /// - Precondition: `lock` is the store's writer lock.
    func note(log: FileIdentity, of main: FileIdentity, in lock: WriterLock) {
        let born = FileIdentity.birthTime(at: files.journal)
        let text = "\(Self.mark) \(lock.identity) \(log)@\(born) \(main)\n"
        if read() != text { try? lock.write(text) }
    }

    /// Checks that the log next to the store, if it has content, was not written for another file.
    ///
    /// Costs one call of `stat` if the log is missing or empty.
    ///
    /// - Throws: `.unsupported` with advice, if the log belongs to another file.
    func requireLog(of main: FileIdentity) throws(StoreError) {
        guard files.journalByteCount > 0, let text = read() else { return }
        let words = text.split(separator: " ").map(String.init)
        guard text.hasPrefix(Self.mark + " "), words.count == 5,
            let lock = try? FileIdentity(at: files.lock), words[2] == lock.description,
            let log = try? FileIdentity(at: files.journal),
            words[3] == "\(log)@\(FileIdentity.birthTime(at: files.journal))",
            words[4] != main.description + "\n"
        else { return }
        throw .unsupported(
            files.location, feature: "a write-ahead log that was written for another file",
            advice:
                "Another file replaced the store's file while \(files.journal) contained saves to"
                + " the previous file. If that file still exists, give it back its name. Otherwise,"
                + " remove \(files.journal).")
    }

    /// Returns the text of the lock file. The file is locked only with `flock`, and closing this
    /// descriptor does not release that lock.
    private func read() -> String? {
        guard let descriptor = try? PosixFile.openCompanion(files.lock, O_RDONLY) else {
            return nil
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Self.mostBytes)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }
}
