import CairnFiles
import CairnStore
import Foundation

/// A hidden folder next to a destination. A store is created in it, and put in place when it is
/// complete.
///
/// The store has its final name in the folder, and so do its companion files. A folder that a killed
/// process left is removed by the next placement at the same destination.
struct StorePlacement {
    /// The location at which to create the store.
    let temporary: StoreLocation
    private let destination: URL
    private let engine: any FileStore.Type
    private let replacedEngine: (any FileStore.Type)?
    private let work: WorkFolder
    private var folder: URL { URL(fileURLWithPath: work.path, isDirectory: true) }
    private let asideFolder: URL

    /// Creates the folder.
    ///
    /// - Parameters:
    ///   - location: the destination, a file.
    ///   - replacedEngine: the engine of the store that may be replaced, or `nil` if nothing may
    ///     exist at the destination.
    /// - Throws: `.destinationExists`; `.store`: `.unsupported`, also for a name that engines use
    ///   for their own files; `.fileFailure`.
    init(
        of location: StoreLocation, _ engine: any FileStore.Type,
        replacing replacedEngine: (any FileStore.Type)?
    ) throws(StoreCopyError) {
        guard let destination = location.fileURL else {
            throw .store(
                .unsupported(
                    location, feature: "no file", advice: "Pass the URL of a file to copy to."))
        }
        self.destination = destination
        self.engine = engine
        self.replacedEngine = replacedEngine
        let name = destination.lastPathComponent
        let prefix = Self.prefix(of: destination)
        Self.removeAbandoned(at: destination)
        do {
            try location.requireFreeName()
            try RestoreRecord.requireNone(beside: destination)
            work = try Self.makeWorkFolder(prefix: prefix)
        } catch {
            throw .store(error)
        }
        let folder = URL(fileURLWithPath: work.path, isDirectory: true)
        asideFolder = folder.appending(path: Self.asideName, directoryHint: .isDirectory)
        temporary = .file(
            folder.appending(path: "new", directoryHint: .isDirectory).appending(path: name))
        do {
            try checkIsFree()
            try makeFolders()
        } catch {
            work.remove()
            throw error
        }
    }

    /// Takes over the folder of a process that died after it had prepared a store in it.
    ///
    /// - Parameters:
    ///   - path: the path of the folder.
    ///   - destination: the destination, a file. A store of the same engine may exist there.
    /// - Precondition: the caller holds the store's ``MigrationLock``.
    /// - Throws: `.fileFailure`.
    init(
        resuming path: String, at destination: URL, _ engine: any FileStore.Type
    ) throws(StoreError) {
        self.destination = destination
        self.engine = engine
        replacedEngine = engine
        work = try StoreError.onFiles(try WorkFolder.resuming(path))
        let folder = URL(fileURLWithPath: path, isDirectory: true)
        asideFolder = folder.appending(path: Self.asideName, directoryHint: .isDirectory)
        temporary = .file(
            folder.appending(path: "new", directoryHint: .isDirectory)
                .appending(path: destination.lastPathComponent))
    }

    private static let asideName = "replaced"

    /// The path of the folder.
    var path: String { work.path }

    /// Returns the path of the hidden folders for a destination, without their unique parts.
    static func prefix(of destination: URL) -> String {
        let stem = TemporaryName.stem(of: destination.lastPathComponent)
        return destination.deletingLastPathComponent().appending(path: ".\(stem).copy-").path
    }

    /// Creates another folder in the hidden folder, for a store with the destination's file name.
    ///
    /// - Throws: `.fileFailure`.
    func makeLocation(inFolder name: String) throws(StoreError) -> StoreLocation {
        let folder = folder.appending(path: name, directoryHint: .isDirectory)
        guard mkdir(folder.path, 0o777) == 0 else {
            throw .fileFailure(FileFailure(operation: "mkdir", path: folder.path, code: errno))
        }
        return .file(folder.appending(path: destination.lastPathComponent))
    }

    /// Moves a store from the folder to the destination, where it durably replaces the existing
    /// store.
    ///
    /// - Precondition: the caller has exclusive use of the destination, and the moved store is
    ///   closed.
    /// - Throws: `.fileFailure`, `.fileRemoved`; `.hardLinked` if the existing store has another
    ///   name, which would keep the old store. Nothing has changed then.
    func replaceDuringExclusiveUse(with made: StoreLocation) throws(StoreError) {
        guard let made = made.fileURL, let replacedEngine else { return }
        try OpenedFile.requireOnlyName(at: destination.path, of: .file(destination))
        try publish(made, replacing: StoreFileSet(replacedEngine, at: destination))
    }

    /// Removes the folders of killed processes. If such a process had moved a store that is a
    /// folder aside without putting another one in place, that store is moved back.
    ///
    /// Nothing is removed while the destination has the note of a restore, which leads to such a folder.
    static func removeAbandoned(at destination: URL) {
        if RestoreRecord.exists(beside: destination) { return }
        let prefix = prefix(of: destination)
        for abandoned in WorkFolder.abandoned(prefix: prefix) {
            let asideFolder = URL(fileURLWithPath: abandoned.path, isDirectory: true)
                .appending(path: asideName)
            let aside = asideFolder.appending(path: destination.lastPathComponent)
            // A link could lead to a folder from which nothing may be moved.
            if asideFolder.isFolder, aside.isThere {
                _ = try? PosixFile.publish(aside.path, as: destination.path)
                // The store was not replaced and could not be moved back, so the folder contains user data.
                if aside.isThere, !destination.isThere { continue }
            }
            abandoned.remove()
        }
    }

    private func makeFolders() throws(StoreCopyError) {
        for path in [folder.appending(path: "new"), asideFolder] {
            guard mkdir(path.path, 0o777) == 0 else {
                let code = errno
                throw .store(
                    .fileFailure(FileFailure(operation: "mkdir", path: path.path, code: code)))
            }
        }
    }

    /// - Throws: `.destinationExists` if a file exists that may not be replaced.
    private func checkIsFree() throws(StoreCopyError) {
        guard replacedEngine == nil else { return }
        let files = StoreFileSet(engine, at: destination)
        for file in [files.main] + files.destinations where file.isThere {
            throw .destinationExists(.file(file))
        }
    }

    /// Moves the store durably from the folder to the destination. The store must be closed.
    ///
    /// A single rename decides which store exists. A crash may leave the replaced store in the hidden folder,
    /// but only if a store is itself a folder.
    ///
    /// A store that another process created at the destination in the meantime is not replaced.
    ///
    /// - Throws: `.destinationExists`; `.store`: `.locked` if the store to be replaced is open,
    ///   `.fileFailure`. Nothing has changed then.
    func putInPlace() throws(StoreCopyError) {
        try checkIsFree()
        do {
            try move()
        } catch .fileFailure(let failure) where failure.code == EEXIST {
            throw .destinationExists(.file(destination))
        } catch {
            throw .store(error)
        }
    }

    /// Moves the store durably to the destination, unless that was done before.
    ///
    /// - Parameter isExclusive: whether the caller has exclusive use of the destination if a store exists there.
    /// - Throws: the errors of ``putInPlace()``, as a store error.
    func complete(duringExclusiveUse isExclusive: Bool = false) throws(StoreError) {
        guard let made = temporary.fileURL, made.isThere else { return }
        if isExclusive, destination.isThere {
            try replaceDuringExclusiveUse(with: temporary)
        } else {
            try move()
        }
    }

    private func move() throws(StoreError) {
        guard let made = temporary.fileURL else { return }
        guard let replacedEngine, destination.isThere else {
            return try publish(made, replacing: nil)
        }
        let old = StoreFileSet(replacedEngine, at: destination)
        try replacedEngine.withExclusiveUseWithoutPendingSave(of: .file(destination)) {
            () throws(StoreError) in
            try publish(made, replacing: old)
        }
    }

    /// The new store gets the permissions of the replaced one, and its owner and group as far as this
    /// process may set them.
    ///
    /// - Parameter replaced: the files of the store at the destination, or `nil` if no store is
    ///   there.
    private func publish(_ made: URL, replacing replaced: StoreFileSet?) throws(StoreError) {
        let new = StoreFileSet(engine, at: made)
        if replaced != nil { try new.takeModeAndOwner(of: destination) }
        try new.publish(
            at: StoreFileSet(engine, at: destination), replacing: replaced,
            puttingAside: asideFolder.appending(path: destination.lastPathComponent))
    }

    /// Removes the folder and its contents.
    func discard() { work.remove() }
}
