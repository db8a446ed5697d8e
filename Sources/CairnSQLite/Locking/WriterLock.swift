import CairnFiles
import CairnStore
import CairnThreads

/// The lock that whoever saves or checkpoints holds, among threads and processes.
///
/// A lock on a file of its own, which ends with the process. SQLite's own locks are not enough:
/// versions before 3.51.3 can damage a database when two connections save and checkpoint at once.
/// Threads of one process get the lock in the order in which they asked for it.
final class WriterLock: Sendable {
    private let file: WriterLockFile
    private let idleFile: IdleLockFile?
    /// Taken before the lock file's lock. `nil` if there is no line.
    private let line: FairLock?

    /// Waits for the lock and takes it.
    ///
    /// - Parameters:
    ///   - timeout: how long to wait, in the line and for other processes.
    ///   - line: of the savers in this process that want the lock. `nil` if there is none yet, because
    ///     the file is not open.
    ///   - idleFile: keeps the lock file open from one save to the next.
    /// - Throws: `.busy`, `.cancelled`, `.readOnly`, `.fileFailure`.
    init(
        of files: SQLiteFiles, timeout: Duration, behind line: FairLock? = nil,
        keptOpenBy idleFile: IdleLockFile? = nil
    ) throws(StoreError) {
        try StoreDeadline.check()
        let deadline = StoreDeadline.limiting(.now + timeout)
        try line?.take(until: deadline).requireTaken(files.location, waited: timeout)
        do throws(StoreError) {
            var file = if let idle = idleFile?.take() { idle } else { try WriterLockFile(files) }
            try file.lock(of: files, until: deadline, timeout)
            // Nobody should remove the lock file, but some do: others then lock the one of that name.
            while !file.hasItsName {
                file = try WriterLockFile(files)
                try file.lock(of: files, until: deadline, timeout)
            }
            self.file = file
        } catch {
            line?.give()
            throw error
        }
        self.idleFile = idleFile
        self.line = line
    }

    /// Waits in the line of the session, whose lock file stays open.
    ///
    /// - Throws: `.busy`, `.cancelled`, `.readOnly`, `.fileFailure`.
    convenience init(of session: FileSession, timeout: Duration) throws(StoreError) {
        try self.init(
            of: session.files, timeout: timeout, behind: session.saverLine,
            keptOpenBy: session.idleLockFile)
    }

    deinit {
        file.unlock()
        idleFile?.keep(file)
        line?.give()
    }

    /// The lock file itself.
    var identity: FileIdentity { file.opened.identity }

    /// Replaces the content of the lock file. The content is not made durable.
    ///
    /// - Throws: the failure of the write; the file then holds part of the text.
    func write(_ text: String) throws(FileFailure) { try file.write(text) }
}
