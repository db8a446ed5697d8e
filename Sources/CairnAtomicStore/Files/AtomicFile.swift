import CairnFiles
import CairnModel
import CairnStore
import CairnThreads
import Foundation
import Synchronization

/// The file or folder of an opened atomic store, and which of its contents this process has read.
package final class AtomicFile: Sendable {
    private let file: DurableFile
    private let form: CodecForm
    private let schema: TableSchema
    private let request: OpenRequest
    /// The keys that saves took and did not commit.
    let keyRecord: KeyRecord
    /// The content that is known: held open, so that its inode is not given to another file. The
    /// lock is held while the file, the stamp and the store's state change together. nil once the
    /// store is closed.
    private let known: Mutex<HeldFile?>
    private let knownStamp: Mutex<FileStamp>

    init(
        _ file: DurableFile, _ form: CodecForm, _ schema: TableSchema,
        _ request: OpenRequest, from loaded: LoadedStore
    ) {
        self.file = file
        self.form = form
        self.schema = schema
        self.request = request
        keyRecord = KeyRecord(of: file, at: request.location)
        known = Mutex(loaded.held)
        knownStamp = Mutex(loaded.stamp)
    }

    private var location: StoreLocation { request.location }

    // MARK: Reading

    /// Reads what is there, and shares it: whoever is to move it can tell by that that it is open.
    ///
    /// - Throws: `.locked`, `.cancelled`; what the form throws.
    static func load(
        _ file: DurableFile, _ form: CodecForm, _ schema: TableSchema, _ request: OpenRequest
    ) throws(StoreError) -> LoadedStore {
        var loaded = try form.load(file, schema, request)
        try loaded.content.takeSaveRecord(at: request.location)
        let deadline = ContinuousClock.now + HeldFile.longestStart
        guard try loaded.held.lock(isShared: true, until: deadline) else {
            throw .locked(request.location, holder: "whoever moves, replaces or removes it")
        }
        return loaded
    }

    /// Reads the file and hands it to the body, where it is not the one that was read last.
    ///
    /// A file that is gone has not changed: the store goes on with what it knows, until it saves.
    ///
    /// - Throws: what reading throws, what the body throws.
    func readIfChanged(
        _ body: (AtomicContent) throws(StoreError) -> Void
    ) throws(StoreError) {
        guard try isChanged() else { return }
        try known.withLock { (known) throws(StoreError) in
            // Whoever waited with us may have read it.
            guard try isChanged() else { return }
            let loaded = try Self.load(file, form, schema, request)
            try body(loaded.content)
            known = loaded.held
            knownStamp.withLock { $0 = loaded.stamp }
        }
    }

    private func isChanged() throws(StoreError) -> Bool {
        do throws(FileFailure) {
            guard let stamp = try file.stamp() else { return false }
            return knownStamp.withLock { $0 } != stamp
        } catch {
            throw .fileFailure(error)
        }
    }

    /// Lets go of the file, so that others may move it.
    func close() { known.withLock { $0 = nil } }

    // MARK: Saving

    /// Takes the right to write the file among all processes.
    ///
    /// - Throws: `.busy`, `.fileRemoved`, `.readOnly`, `.fileFailure`.
    func lock(
        until deadline: ContinuousClock.Instant, waited timeout: Duration
    ) throws(StoreError) -> StoreLock {
        guard access(file.path, F_OK) == 0 else {
            throw .fileRemoved(location, path: file.path)
        }
        guard access(file.path, W_OK) == 0 else { throw .readOnly(location) }
        let lock = try TimedLock.wait(until: deadline, timeout, for: location) {
            () throws(StoreError) in
            do throws(FileFailure) {
                return try StoreLock.takeIfFree(for: file)
            } catch {
                throw .writing(error, at: location)
            }
        }
        // Before the file is read: another program's file may belong in its place.
        if lock.wasLeft {
            file.settleLeftovers()
            keyRecord.removeLeftovers()
        }
        return lock
    }

    /// What the file system says of the file now, for ``replace(with:ifStill:_:)``.
    ///
    /// - Throws: `.fileRemoved`, `.fileFailure`.
    func stamp() throws(StoreError) -> FileStamp {
        do throws(FileFailure) {
            if let stamp = try file.stamp() { return stamp }
        } catch {
            throw .fileFailure(error)
        }
        throw .fileRemoved(location, path: file.path)
    }

    /// Writes the content beside the file, durably; nobody sees it.
    ///
    /// - Throws: `.fileFailure`; what the codec throws.
    func prepare(_ content: AtomicContent) throws(StoreError) -> PendingFile {
        try form.prepare(content.withSaveRecordInMetadata, as: file)
    }

    /// Makes the file durable under its name, also if a commit could not.
    ///
    /// - Throws: `.fileFailure`.
    func makeDurable() throws(StoreError) {
        do throws(FileFailure) {
            try file.synchronizeFolder()
        } catch {
            throw .fileFailure(error)
        }
    }

    /// Puts what was prepared in the file's place; then calls the body, which makes it known here.
    /// Removes the record of keys, which the file has itself.
    ///
    /// A program that does not take the store's lock may have replaced, changed or removed the file
    /// since the save began: what is there then stays, or is there again after an instant.
    ///
    /// - Parameter stamp: of the file when the save began.
    /// - Throws: `.fileReplaced`, `.fileRemoved`, `.fileFailure`: nothing was saved;
    ///   `.commitOutcomeUnknown`: it is saved, unless the machine stops before the folder reaches
    ///   the disk, or another program replaced the file and it could not be put back.
    func replace(
        with pending: PendingFile, ifStill stamp: FileStamp, _ publish: () -> Void
    ) throws(StoreError) {
        // Seen here, a replaced file need not be taken out and put back.
        if try !self.stamp().hasContent(of: stamp) {
            throw .fileReplaced(location, path: file.path)
        }
        let replacement: PendingFile.Replacement
        do throws(FileFailure) {
            replacement = try known.withLock { (known) throws(FileFailure) in
                pending.share()
                let replacement = try pending.replace(stamp)
                if case .done(let held) = replacement {
                    known = held
                    let stamp = Result { () throws(FileFailure) in try held.stamp() }
                    if case .success(let stamp) = stamp { knownStamp.withLock { $0 = stamp } }
                    publish()
                }
                return replacement
            }
        } catch {
            // Where the file is gone, that is the reason.
            if error.code == ENOENT { _ = try self.stamp() }
            throw .fileFailure(error)
        }
        switch replacement {
        case .done: break
        case .anotherFile: throw .fileReplaced(location, path: file.path)
        case .unknown(let failure): throw outcomeUnknown(failure)
        }
        do throws(FileFailure) {
            try file.synchronizeFolder()
        } catch {
            throw outcomeUnknown(error)
        }
        keyRecord.remove()
    }

    private func outcomeUnknown(_ failure: FileFailure) -> StoreError {
        .commitOutcomeUnknown(
            EngineFailure(
                type: form.type, location: location, operation: failure.operation,
                code: Int(failure.code), message: failure.message))
    }
}
