import CairnEngineKit
import CairnFiles
import CairnModel
import CairnStore
import CairnThreads
import Foundation
import Synchronization

/// The file or folder of an open atomic store, and the state of it that this process has read.
package final class AtomicFile: Sendable {
    private let file: DurableFile
    private let form: CodecForm
    private let schema: TableSchema
    private let request: OpenRequest
    /// The keys that saves reserved without committing.
    let keyRecord: KeyRecord
    /// The log of the history, which exists only if the store keeps a history.
    let historyFile: HistoryFile
    /// The file that was read or written last, or `nil` after the store was closed. It is kept
    /// open, so that its inode is not given to another file. The mutex is held while the file, the
    /// stamp and the store's state change together.
    private let known: Mutex<HeldFile?>
    private let knownStamp: Mutex<FileStamp>

    init(
        _ file: DurableFile, _ form: CodecForm, _ schema: TableSchema,
        _ request: OpenRequest, from loaded: LoadedStore, _ historyFile: HistoryFile
    ) {
        self.file = file
        self.form = form
        self.schema = schema
        self.request = request
        keyRecord = KeyRecord(of: file, at: request.location)
        self.historyFile = historyFile
        known = Mutex(loaded.held)
        knownStamp = Mutex(loaded.stamp)
    }

    private var location: StoreLocation { request.location }

    // MARK: Reading

    /// Reads the store, and takes a shared lock on the file, which tells other processes that the
    /// store is open.
    static func load(
        _ file: DurableFile, _ form: CodecForm, _ schema: TableSchema, _ request: OpenRequest,
        _ historyFile: HistoryFile
    ) throws(StoreError) -> LoadedStore {
        var loaded = try form.load(file, schema, request)
        try loaded.content.takeSaveRecord(at: request.location)
        try loaded.content.takeHistory(from: historyFile, request)
        let deadline = ContinuousClock.now + HeldFile.longestStart
        guard try loaded.held.lock(isShared: true, until: deadline) else {
            throw .locked(
                request.location, holder: "a program that is moving, replacing or removing it")
        }
        return loaded
    }

    /// Reads the file and passes its content to the body, if the file has changed since it was last
    /// read.
    ///
    /// A removed file counts as unchanged: the store keeps its state until it saves.
    func readIfChanged(
        _ body: (StoreContent) throws(StoreError) -> Void
    ) throws(StoreError) {
        guard try isChanged() else { return }
        try known.withLock { (known) throws(StoreError) in
            // Another thread may have read the file while this one waited for the lock.
            guard try isChanged() else { return }
            let loaded = try Self.load(file, form, schema, request, historyFile)
            try body(loaded.content)
            known = loaded.held
            knownStamp.withLock { $0 = loaded.stamp }
        }
    }

    private func isChanged() throws(StoreError) -> Bool {
        guard let stamp = try StoreError.onFiles(try file.stamp()) else { return false }
        return knownStamp.withLock { $0 } != stamp
    }

    /// Closes the file, so that other processes may move it.
    func close() { known.withLock { $0 = nil } }

    // MARK: Saving

    /// Takes the lock that allows one process at a time to write the file.
    func lock(
        until deadline: ContinuousClock.Instant, waited timeout: Duration
    ) throws(StoreError) -> StoreLock {
        guard access(file.path, F_OK) == 0 else {
            throw .fileRemoved(location, path: file.path)
        }
        guard access(file.path, W_OK) == 0 else { throw .readOnly(location) }
        let lock = try location.waitForLock(
            atMost: timeout, until: deadline, translating: { .writing($0, at: location) }
        ) { () throws(FileFailure) in try StoreLock.takeIfFree(for: file) }
        // Do this before the file is read, because it may restore a file of another program.
        if lock.wasLeft {
            file.settleLeftovers()
            keyRecord.removeLeftovers()
            historyFile.removeLeftovers()
        }
        try OpenedFile.requireOnlyName(at: file.path, of: location)
        return lock
    }

    /// Returns the file's current stamp, for ``replace(with:ifStill:_:)``.
    func stamp() throws(StoreError) -> FileStamp {
        if let stamp = try StoreError.onFiles(try file.stamp()) { return stamp }
        throw .fileRemoved(location, path: file.path)
    }

    /// Writes the content durably to a temporary file beside the file. The store does not change.
    func prepare(_ content: StoreContent) throws(StoreError) -> PendingFile {
        try form.prepare(content.withRecordsInMetadata, as: file)
    }

    /// Writes the content durably to a temporary file beside a location, at which nothing exists.
    func prepare(
        _ content: StoreContent, toNew location: StoreLocation
    ) throws(StoreError) -> PendingFile {
        let content = try content.recordingEntities(of: request)
        return try form.prepare(
            content.withRecordsInMetadata, as: try form.file(at: location))
    }

    /// Makes the file durable under its name, in case a commit could not do that.
    func makeDurable() throws(StoreError) {
        try StoreError.onFiles(try file.synchronizeFolder())
    }

    /// Replaces the file with the prepared one, then calls `publish`, which makes the new state the
    /// store's current one. Removes the record of keys, because the new file contains the keys.
    ///
    /// A program that does not take the store's lock may have replaced, changed or removed the file
    /// since the save began. Its file is then kept, or restored after an instant.
    ///
    /// - Parameter stamp: the stamp of the file when the save began.
    /// - Throws: `.fileReplaced`, `.fileRemoved`, `.hardLinked` or `.fileFailure` if nothing was saved.
    ///   `.commitOutcomeUnknown` if the save may be lost, because the machine may stop before the
    ///   folder reaches the disk, or because another program replaced the file and its file could
    ///   not be restored.
    func replace(
        with pending: PendingFile, ifStill stamp: FileStamp, _ publish: () -> Void
    ) throws(StoreError) {
        // If the file has been replaced or linked already, do not move it away and restore it.
        if try !self.stamp().hasContent(of: stamp) {
            throw .fileReplaced(location, path: file.path)
        }
        try OpenedFile.requireOnlyName(at: file.path, of: location)
        let replacement: PendingFile.Replacement
        do {
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
            // If the file was removed, report that instead.
            if error.code == ENOENT { _ = try self.stamp() }
            throw .fileFailure(error)
        }
        switch replacement {
        case .done: break
        case .anotherFile:
            // The file may also have got another name since the check above.
            try OpenedFile.requireOnlyName(at: file.path, of: location)
            throw .fileReplaced(location, path: file.path)
        case .unknown(let failure): throw outcomeUnknown(failure)
        }
        do {
            try file.synchronizeFolder()
        } catch {
            throw outcomeUnknown(error)
        }
        keyRecord.remove()
    }

    private func outcomeUnknown(_ failure: FileFailure) -> StoreError {
        .commitOutcomeUnknown(EngineFailure(failure, of: form.type, at: location))
    }
}
