import CairnFiles
import CairnModel
import CairnStore
import CairnThreads
import Foundation

extension AtomicStore {
    /// Opens the file of a whole-file store, and makes it where it may be made.
    ///
    /// - Throws: as ``PersistentStore/open(_:)``.
    package static func open(
        _ request: OpenRequest, _ codec: any TableCodec, busyTimeout: Duration
    ) throws(StoreError) -> AtomicStore {
        try open(request, TableForm(codec), busyTimeout: busyTimeout)
    }

    /// Opens the file or folder of a store, and makes it where it may be made.
    ///
    /// - Throws: as ``PersistentStore/open(_:)``.
    package static func open(
        _ request: OpenRequest, _ form: any StoredForm, busyTimeout: Duration
    ) throws(StoreError) -> AtomicStore {
        guard let url = request.location.fileURL else {
            throw .unsupported(
                request.location, feature: "no file",
                advice: "Give the URL of a file for a store of type \(form.type).")
        }
        let file = DurableFile(url)
        let schema = try TableSchema(request)
        if !request.isReadOnly { settleLeftovers(of: file, at: request.location) }
        let loaded: LoadedStore
        do throws(StoreError) {
            loaded = try AtomicFile.load(file, form, schema, request)
        } catch {
            guard case .notFound = error, request.createsMissing, !request.isReadOnly else {
                throw error
            }
            try request.location.requireFolder()
            try create(file, form, schema, request, busyTimeout)
            loaded = try AtomicFile.load(file, form, schema, request)
        }
        let atomicFile = AtomicFile(file, form, schema, request, from: loaded)
        let number = StoreDirectory.shared.number(
            identifier: loaded.content.metadata.identifier, location: request.location,
            model: request.model)
        return AtomicStore(
            request, number: number, content: loaded.content, busyTimeout: busyTimeout,
            file: atomicFile)
    }

    /// See ``FileStore/withExclusiveUse(of:_:)``.
    ///
    /// An opened store shares a lock on the file that it has read or written last. One in another
    /// process that has not looked since a third one saved is therefore not seen; its next save is
    /// refused, because the file is gone or another store's.
    ///
    /// - Parameter isFolder: whether the store is a folder of files.
    package static func withExclusiveUse<Answer>(
        of location: StoreLocation, isFolder: Bool = false, _ body: () throws(StoreError) -> Answer
    ) throws(StoreError) -> Answer {
        guard let url = location.fileURL else { return try body() }
        let file = DurableFile(url)
        var held = try holdAlone(file, isFolder, at: location)
        // Not to be had where nobody can write, either.
        let lock = Result { () throws(FileFailure) in
            try StoreLock.takeIfFree(for: file)
        }
        if case .success(nil) = lock { throw .locked(location, holder: "whoever saves to it") }
        if case .success = lock {
            file.settleLeftovers()
            // That may have put another program's file back.
            if (try? file.stamp()?.identity) != (try? held.stamp().identity) {
                held = try holdAlone(file, isFolder, at: location)
            }
        }
        defer { withExtendedLifetime((held, lock)) {} }
        return try body()
    }

    /// Opens a store's file or folder, and keeps others from opening it.
    ///
    /// - Throws: `.notFound`, `.locked`, `.fileFailure`.
    private static func holdAlone(
        _ file: DurableFile, _ isFolder: Bool, at location: StoreLocation
    ) throws(StoreError) -> HeldFile {
        let held: HeldFile
        do throws(FileFailure) {
            held = isFolder ? try DurableFolder(file).hold() : try file.hold()
        } catch {
            throw [ENOENT, ENOTDIR].contains(error.code) ? .notFound(location) : .fileFailure(error)
        }
        guard held.lock(isShared: false) else {
            throw .locked(location, holder: "this process or another")
        }
        return held
    }

    /// Makes a new store's file, unless another process was faster: then that one's is there.
    private static func create(
        _ file: DurableFile, _ form: any StoredForm, _ schema: TableSchema,
        _ request: OpenRequest, _ busyTimeout: Duration
    ) throws(StoreError) {
        let content = AtomicContent(new: form.type, schema, identifier: UUID().uuidString)
        // So that nobody takes what is temporary for left over.
        let lock = try creationLock(file, at: request.location, busyTimeout)
        defer { withExtendedLifetime(lock) {} }
        let pending = try form.prepare(content, as: file)
        do throws(FileFailure) {
            if try pending.create() != nil { try file.synchronizeFolder() }
        } catch {
            throw .fileFailure(error)
        }
    }

    /// - Throws: `.busy` after the timeout, `.cancelled`, `.fileFailure`.
    private static func creationLock(
        _ file: DurableFile, at location: StoreLocation, _ busyTimeout: Duration
    ) throws(StoreError) -> StoreLock {
        let taking: (outcome: WaitOutcome, lock: StoreLock?)
        do throws(FileFailure) {
            taking = try StoreLock.take(for: file, until: .now + busyTimeout)
        } catch {
            throw .fileFailure(error)
        }
        try taking.outcome.requireTaken(location, waited: busyTimeout)
        guard let lock = taking.lock else { throw .busy(location, waited: busyTimeout) }
        return lock
    }

    /// Removes what processes left that died; leaves it where others are writing, or where this
    /// process may not.
    private static func settleLeftovers(of file: DurableFile, at location: StoreLocation) {
        let keyRecord = KeyRecord(of: file, at: location)
        guard file.hasLeftovers || keyRecord.hasLeftovers,
            let lock = try? StoreLock.takeIfFree(for: file)
        else { return }
        file.settleLeftovers()
        keyRecord.removeLeftovers()
        withExtendedLifetime(lock) {}
    }
}
