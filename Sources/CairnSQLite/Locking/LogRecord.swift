import CairnFiles
import CairnStore
import Foundation

/// Which database file the write-ahead log beside a store was written for.
///
/// SQLite finds a log by its name and cannot tell whether it belongs to the file of that name. After
/// another file replaced the store's file, SQLite would write pages of the old file into the new
/// one. So a process that opens a store for saves notes in the lock file, which is ours, which log
/// belongs to which file. The note counts only in the very lock file and for the very log that it
/// names. A copy of the store's folder, or a log made later by another program, is not judged by
/// it.
struct LogRecord {
    let files: SQLiteFiles

    private static let mark = "cairn-log 1"
    /// Enough for the mark, three identities and a time.
    private static let mostBytes = 256

    /// Notes that the log beside the store belongs to `main`.
    ///
    /// A note that cannot be written protects nothing and hinders nobody, so this does not throw.
    ///
    /// - Precondition: `lock` is the store's writer lock.
    func note(log: FileIdentity, of main: FileIdentity, in lock: WriterLock) {
        let born = FileIdentity.birthTime(at: files.journal)
        let text = "\(Self.mark) \(lock.identity) \(log)@\(born) \(main)\n"
        if read() != text { try? lock.write(text) }
    }

    /// Checks that the log beside the store, if it holds anything, was not written for another file.
    ///
    /// Costs one call of `stat` if there is no log or an empty one.
    ///
    /// - Throws: `.unsupported`, which says what to do.
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
            advice: "Another file replaced the store's file while \(files.journal) held saves of"
                + " the first one. If the first file still exists, give it its name back; otherwise"
                + " remove \(files.journal).")
    }

    /// The lock file is locked by `flock` alone, which closing this descriptor does not end.
    private func read() -> String? {
        guard let descriptor = try? PosixFile.open(files.lock, O_RDONLY) else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Self.mostBytes)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }
}
