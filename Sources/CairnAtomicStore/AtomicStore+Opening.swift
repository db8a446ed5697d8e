import CairnFiles
import CairnModel
import CairnStore
import Foundation

extension AtomicStore {
    /// Opens the file of a whole-file store, and makes it where it may be made.
    ///
    /// - Throws: as ``PersistentStore/open(_:)``.
    package static func open(
        _ request: OpenRequest, _ codec: any AtomicCodec, busyTimeout: Duration
    ) throws(StoreError) -> AtomicStore {
        guard let url = request.location.fileURL else {
            throw .unsupported(
                request.location, feature: "no file",
                advice: "Give the URL of a file for a store of type \(codec.type).")
        }
        let file = DurableFile(url)
        let schema = try TableSchema(request.layouts, at: request.location)
        if !request.isReadOnly { removeLeftovers(of: file, at: request.location) }
        let loaded: AtomicFile.Loaded
        do throws(StoreError) {
            loaded = try AtomicFile.load(file, codec, schema, at: request.location)
        } catch {
            guard case .notFound = error, request.createsMissing, !request.isReadOnly else {
                throw error
            }
            try request.location.requireFolder()
            try create(file, codec, schema, request, busyTimeout)
            loaded = try AtomicFile.load(file, codec, schema, at: request.location)
        }
        let atomicFile = AtomicFile(
            file, codec, schema, at: request.location, held: loaded.held, stamp: loaded.stamp)
        let number = StoreDirectory.shared.number(
            identifier: loaded.content.metadata.identifier, location: request.location,
            model: request.model)
        return AtomicStore(
            request, number: number, content: loaded.content, busyTimeout: busyTimeout,
            file: atomicFile)
    }

    /// See ``PersistentStore/withExclusiveUse(of:_:)``.
    ///
    /// An opened store shares a lock on the file that it has read or written last. One in another
    /// process that has not looked since a third one saved is therefore not seen; its next save is
    /// refused, because the file is gone or another store's.
    package static func withExclusiveUse<Answer>(
        of location: StoreLocation, _ body: () throws(StoreError) -> Answer
    ) throws(StoreError) -> Answer {
        guard let url = location.fileURL else { return try body() }
        let file = DurableFile(url)
        let held: HeldFile
        do throws(FileFailure) {
            held = try file.hold()
        } catch {
            throw [ENOENT, ENOTDIR].contains(error.code) ? .notFound(location) : .fileFailure(error)
        }
        guard held.lock(isShared: false) else {
            throw .locked(location, holder: "this process or another")
        }
        // Not to be had where nobody can write, either.
        let lock = Result { () throws(FileFailure) in
            try StoreLock.take(for: file, waitingAtMost: .zero)
        }
        if case .success(nil) = lock { throw .locked(location, holder: "whoever saves to it") }
        if case .success = lock { file.removeLeftovers() }
        defer { withExtendedLifetime((held, lock)) {} }
        return try body()
    }

    /// Makes a new store's file, unless another process was faster: then that one's is there.
    private static func create(
        _ file: DurableFile, _ codec: any AtomicCodec, _ schema: TableSchema,
        _ request: OpenRequest, _ busyTimeout: Duration
    ) throws(StoreError) {
        let content = AtomicContent(new: codec.type, schema, identifier: UUID().uuidString)
        let bytes = try codec.encode(content)
        do throws(FileFailure) {
            // So that nobody takes the temporary file for a left-over one.
            guard let lock = try StoreLock.take(for: file, waitingAtMost: busyTimeout) else {
                throw FileFailure(
                    operation: "lock", path: StoreLock.path(of: file.path), code: EBUSY)
            }
            defer { withExtendedLifetime(lock) {} }
            if try file.prepare(bytes).create() != nil { try file.synchronizeFolder() }
        } catch {
            throw .fileFailure(error)
        }
    }

    /// Removes what processes left that died; leaves it where others are writing, or where this
    /// process may not.
    private static func removeLeftovers(of file: DurableFile, at location: StoreLocation) {
        guard file.hasLeftovers,
            let lock = try? StoreLock.take(for: file, waitingAtMost: .zero)
        else { return }
        file.removeLeftovers()
        KeyRecord(of: file, at: location).removeLeftovers()
        withExtendedLifetime(lock) {}
    }
}
