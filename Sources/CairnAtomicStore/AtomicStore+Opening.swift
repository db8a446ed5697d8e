import CairnEngineKit
import CairnFiles
import CairnModel
import CairnStore
import CairnThreads
import Foundation

extension AtomicStore {
    /// Creates a new, empty store that ends with the process. The location is only used as a name.
    ///
    /// - Throws: `.notFound` if the request does not allow creation or is read-only;
    ///   `.invalidOption`; `.unsupported` for a derived attribute that cannot be computed, and for
    ///   a configuration that the model does not have.
    package static func inMemory(
        _ request: OpenRequest, of type: StoreType
    ) throws(StoreError) -> AtomicStore {
        guard request.createsMissing, !request.isReadOnly else {
            throw .notFound(request.location)
        }
        try request.options.requireKnown(
            [.timeout, .tracksHistory], by: "a store of type \(type)")
        let identifier = request.identifierForNewStore
        let number = StoreDirectory.shared.number(
            identifier: identifier, location: request.location, model: request.model)
        var content = StoreContent(
            try TableSchema(request), number: number,
            metadata: StoreMetadata(
                creating: type, model: request.model, identifier: identifier))
        if try request.options.tracksHistory() { content.history = HistoryList() }
        return AtomicStore(request, content: content, busyTimeout: try request.options.timeout())
    }

    /// Opens the file or folder of an engine's store. Creates a missing store if the request allows
    /// that.
    ///
    /// ``AtomicEngine/open(_:)`` calls this method. An engine that has to inspect the request first
    /// calls it directly.
    ///
    /// - Throws: the errors of ``CairnStore/PersistentStore/open(_:)``.
    public static func open<Engine: AtomicEngine>(
        _ request: OpenRequest, of engine: Engine.Type
    ) throws(StoreError) -> AtomicStore {
        try request.options.requireKnown(
            engine.capabilities.options, by: engine.fileDescription)
        return try open(
            request, CodecForm(engine.codec, of: engine.type),
            busyTimeout: try request.options.timeout(),
            tracksHistory: try request.options.tracksHistory())
    }

    private static func open(
        _ request: OpenRequest, _ form: CodecForm, busyTimeout: Duration, tracksHistory: Bool
    ) throws(StoreError) -> AtomicStore {
        let file = try form.file(at: request.location)
        let schema = try TableSchema(request)
        if !request.isReadOnly { settleLeftovers(of: file, at: request.location) }
        let historyFile = HistoryFile(of: file)
        let loaded: LoadedStore
        do {
            loaded = try AtomicFile.load(file, form, schema, request, historyFile)
        } catch {
            if case .fileFailure(let failure) = error, failure.code == ENAMETOOLONG {
                try request.location.requireShortName()
            }
            guard case .notFound = error, request.createsMissing, !request.isReadOnly else {
                throw error
            }
            try request.location.requireFolder()
            try create(file, form, schema, request, busyTimeout, tracksHistory: tracksHistory)
            loaded = try AtomicFile.load(file, form, schema, request, historyFile)
        }
        if !request.isReadOnly { try requireOnlyName(file, at: request.location, busyTimeout) }
        let atomicFile = AtomicFile(file, form, schema, request, from: loaded, historyFile)
        return AtomicStore(
            request, content: loaded.content, busyTimeout: busyTimeout, file: atomicFile)
    }

    /// Checks that the file has only one name. A temporary name left by a process that was killed while
    /// it created the store is removed first.
    private static func requireOnlyName(
        _ file: DurableFile, at location: StoreLocation, _ busyTimeout: Duration
    ) throws(StoreError) {
        do {
            try OpenedFile.requireOnlyName(at: file.path, of: location)
        } catch .hardLinked {
            if file.hasLeftovers {
                let lock = try creationLock(file, at: location, busyTimeout)
                file.settleLeftovers()
                withExtendedLifetime(lock) {}
            }
            try OpenedFile.requireOnlyName(at: file.path, of: location)
        }
    }

    /// Implements ``FileStore/withExclusiveUse(of:_:)``.
    ///
    /// An open store holds a shared lock on the file that it has read or written last. If another
    /// process has not looked at the store since a third one saved to it, its lock is on an old
    /// file and is not noticed here. Its next save is refused, because the file is gone or belongs
    /// to another store.
    ///
    /// - Parameters:
    ///   - location: the store's file or folder.
    ///   - isFolder: whether the store is a folder of files.
    ///   - body: called while the store is locked.
    package static func withExclusiveUse<Answer>(
        of location: StoreLocation, isFolder: Bool = false, _ body: () throws(StoreError) -> Answer
    ) throws(StoreError) -> Answer {
        guard let url = location.fileURL else { return try body() }
        let file = DurableFile(url)
        let deadline = ContinuousClock.now + HeldFile.longestStart
        var held = try holdAlone(file, isFolder, at: location, until: deadline)
        let lock = Result { () throws(FileFailure) in
            var lock: StoreLock?
            _ = try LockPolling.take(until: deadline) { () throws(FileFailure) in
                lock = try StoreLock.takeIfFree(for: file)
                return lock != nil
            }
            return lock
        }
        if case .success(nil) = lock { throw .locked(location, holder: "a save in progress") }
        // On a medium that cannot be written, taking this lock fails. That is not an error here.
        if case .failure(let failure) = lock, !failure.meansReadOnly { throw .fileFailure(failure) }
        if case .success = lock {
            file.settleLeftovers()
            // That may have restored another program's file.
            if (try? file.stamp()?.identity) != (try? held.stamp().identity) {
                held = try holdAlone(file, isFolder, at: location, until: deadline)
            }
        }
        defer { withExtendedLifetime((held, lock)) {} }
        return try body()
    }

    /// Opens a store's file or folder, and keeps others from opening it.
    private static func holdAlone(
        _ file: DurableFile, _ isFolder: Bool, at location: StoreLocation,
        until deadline: ContinuousClock.Instant
    ) throws(StoreError) -> HeldFile {
        let held: HeldFile
        do {
            held = isFolder ? try DurableFolder(file).hold() : try file.hold()
        } catch {
            throw [ENOENT, ENOTDIR].contains(error.code) ? .notFound(location) : .fileFailure(error)
        }
        guard try held.lock(isShared: false, until: deadline) else {
            throw .locked(location, holder: "this process or another process")
        }
        return held
    }

    /// Creates a new store's file, unless another process has created it in the meantime.
    private static func create(
        _ file: DurableFile, _ form: CodecForm, _ schema: TableSchema,
        _ request: OpenRequest, _ busyTimeout: Duration, tracksHistory: Bool
    ) throws(StoreError) {
        // The number of the store is known only when its file is read.
        var content = StoreContent(
            schema, number: StoreNumber(rawValue: 0),
            metadata: StoreMetadata(
                creating: form.type, model: request.model,
                identifier: request.identifierForNewStore))
        if tracksHistory { content.history = HistoryList() }
        // Take the lock, so that no other process mistakes the temporary file for a leftover.
        let lock = try creationLock(file, at: request.location, busyTimeout)
        defer { withExtendedLifetime(lock) {} }
        let pending = try form.prepare(content.withRecordsInMetadata, as: file)
        do {
            if try pending.create() != nil { try file.synchronizeFolder() }
        } catch {
            throw .fileFailure(error)
        }
    }

    /// - Throws: `.busy` after the timeout, `.cancelled`, `.fileFailure`.
    private static func creationLock(
        _ file: DurableFile, at location: StoreLocation, _ busyTimeout: Duration
    ) throws(StoreError) -> StoreLock {
        try location.waitForLock(atMost: busyTimeout, until: .now + busyTimeout) {
            () throws(FileFailure) in try StoreLock.takeIfFree(for: file)
        }
    }

    /// Removes the files of processes that died. Does nothing while another process writes, or if
    /// this process is not allowed to.
    private static func settleLeftovers(of file: DurableFile, at location: StoreLocation) {
        let keyRecord = KeyRecord(of: file, at: location)
        let historyFile = HistoryFile(of: file)
        guard file.hasLeftovers || keyRecord.hasLeftovers || historyFile.hasLeftovers,
            let lock = try? StoreLock.takeIfFree(for: file)
        else { return }
        file.settleLeftovers()
        keyRecord.removeLeftovers()
        historyFile.removeLeftovers()
        withExtendedLifetime(lock) {}
    }
}
