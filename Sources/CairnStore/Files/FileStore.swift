import CairnFiles
import CairnModel
import Foundation

/// A store that is a file or a folder of files, and that can be inspected without opening it.
///
/// Engines whose stores are in memory or belong to a service do not conform, and write no files at
/// the locations of their stores. Callers that need files ask for `any FileStore.Type`. Nothing in
/// ``PersistentStore`` depends on this protocol.
///
/// A damaged or truncated file is refused with `.corrupt` or `.notAStore` when it is opened or
/// read, unless it still returns what was saved. Such a file never ends the process, except in an
/// engine whose documentation says that its library trusts the file. Bytes that a killed process
/// left after the last commit are not damage: the store opens, and contains every committed save.
public protocol FileStore: PersistentStore {
    /// The name of this engine's files in errors, such as “a SQLite database”. The default
    /// implementation returns “a store of type”, followed by the type.
    static var fileDescription: String { get }

    /// Returns whether the file at the location is one of this engine's files, judged by its
    /// content.
    ///
    /// Returns `false` if there is no file at the location or it cannot be read. Reads only a few
    /// bytes. Do not open the file with a descriptor of your own if a library in this process may
    /// hold POSIX locks on it: closing any descriptor of a file releases all of the process's locks
    /// on it.
    ///
    /// The default implementation always returns `false`. Stores of such an engine can only be
    /// opened by naming their type.
    static func recognizes(_ location: StoreLocation) -> Bool

    /// Reads a store's metadata without opening the store.
    ///
    /// - Throws: `.notFound`, `.notAStore`, `.busy`, `.corrupt`, `.fileFailure`, `.engineFailure`;
    ///   `.unsupported` if the store has a later format, or if the location is not a file.
    static func metadata(at location: StoreLocation) throws(StoreError) -> StoreMetadata

    /// Reads the model that the store was written with. Returns `nil` if the store contains no
    /// model. The default implementation only reads the metadata, and returns `nil`.
    ///
    /// - Throws: the errors of ``metadata(at:)``.
    static func model(at location: StoreLocation) throws(StoreError) -> ModelDescription?

    /// Infers a model, sufficient for reading, from the content of a store that contains no model.
    /// Returns `nil` if the content is not enough. The default implementation returns `nil`.
    ///
    /// - Throws: `.unsupported`, which says what the content does not reveal; the errors of
    ///   ``model(at:)``.
    static func derivedModel(at location: StoreLocation) throws(StoreError) -> ModelDescription?

    /// Counts the rows of each entity without being given a model. Abstract entities are included,
    /// and rows of subentities count only for the subentity.
    ///
    /// The default implementation opens the store with the model that it contains. An engine whose
    /// files contain no model implements this method if it can count the rows without one.
    ///
    /// - Throws: `.unsupported` if the rows cannot be counted without a model; the errors of
    ///   ``model(at:)`` and `open`.
    static func entityCounts(at location: StoreLocation) throws(StoreError) -> [String: Int]

    /// Returns the files beside the main file that belong to the store, whether or not they exist.
    static func companionFiles(of location: StoreLocation) -> [StoreFile]

    /// Runs a body that moves, replaces or removes the store's files, while no process has the
    /// store open.
    ///
    /// A process that tries to open the store while the body runs waits, or is refused with
    /// `.locked` or `.busy`. Before the body runs, the content of companion files such as a log is
    /// moved to the main file. The main file and the folders of large values are then the whole
    /// store. A store that is too damaged for that is left unchanged. Temporary files of killed
    /// saves are removed. The body must not open the store.
    ///
    /// The default implementation only runs the body. Users of such an engine have to make sure
    /// themselves that its stores are closed.
    ///
    /// - Throws: `.locked` if this process or another has the store open; `.notFound`,
    ///   `.fileFailure`; the error that the body throws.
    static func withExclusiveUse<Result>(
        of location: StoreLocation, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result
}

extension FileStore {
    /// Returns “a store of type”, followed by the type.
    public static var fileDescription: String { "a store of type \(type)" }

    /// Returns `false`.
    public static func recognizes(_ location: StoreLocation) -> Bool { false }

    /// Reads the metadata and returns `nil`.
    public static func model(at location: StoreLocation) throws(StoreError) -> ModelDescription? {
        _ = try metadata(at: location)
        return nil
    }

    /// Returns `nil`.
    public static func derivedModel(
        at location: StoreLocation
    ) throws(StoreError) -> ModelDescription? {
        nil
    }

    /// Only runs the body.
    public static func withExclusiveUse<Result>(
        of location: StoreLocation, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try body()
    }
}

/// A file or folder beside a store's main file that belongs to the store.
public struct StoreFile: Sendable, Hashable {
    /// What happens to a companion file when its store is moved or removed.
    public enum Role: Sendable, Hashable {
        /// The file contains data of the store, and is moved or removed with the store.
        case data
        /// The file is created again when needed, for example a lock file or a shared-memory index.
        case scratch
    }

    /// Where the file is. The file need not exist.
    public var url: URL
    /// What happens to the file when its store is moved or removed.
    public var role: Role

    /// Describes a file beside a store. The file is not accessed.
    public init(_ url: URL, _ role: Role) {
        self.url = url
        self.role = role
    }
}

/// An engine that keeps large values in files of their own, in a folder that other stores beside the
/// store may use, too.
///
/// Code that moves, copies or removes the files of a closed store asks this protocol which of them
/// belong to the store.
package protocol ExternalDataStore: FileStore {
    /// Returns the companion folder that another store beside this one uses, too, and the companion
    /// folder that the files of a store at this location belong to instead. Returns `nil` if no
    /// other store uses the folder.
    ///
    /// - Parameter leaving: a store that does not count, because it is being moved away.
    static func sharedFolder(
        of location: StoreLocation, except leaving: URL?
    ) -> (shared: URL, own: URL)?

    /// Reads the names of the files that the store's rows name, and of those that no store beside
    /// it names.
    ///
    /// - Precondition: no one has the store open. The body of ``FileStore/withExclusiveUse(of:_:)``
    ///   may call this method.
    /// - Throws: `.corrupt`, `.busy`, `.fileFailure`, `.engineFailure`.
    static func externalNames(
        at location: StoreLocation
    ) throws(StoreError) -> (all: Set<String>, removable: Set<String>)

    /// Returns the files of large values that no row of this store or of a store beside it names.
    ///
    /// A crash can leave such files. They do no harm, and are removed with the store unless another
    /// store uses the folder, too.
    ///
    /// - Throws: `.closed`, `.corrupt`, `.busy`, `.fileFailure`, `.engineFailure`.
    func unnamedFiles() throws(StoreError) -> [URL]

    /// Removes the files that ``unnamedFiles()`` returns and that no program can need: not those that a
    /// save which is under way may name, that a reader of an older state may read, or that are in a folder
    /// which another store uses, too. Other programs may have the store open.
    ///
    /// - Returns: the files that were removed.
    /// - Throws: the errors of ``unnamedFiles()`` and of ``PersistentStore/beginSave()``.
    func removeUnnamedFiles() throws(StoreError) -> [URL]
}

extension FileStore where Self: SelfCheckingStore {
    /// Adds up the lengths of the store's file and its companion files. Folders count with all of
    /// their content.
    public func byteCount() throws(StoreError) -> Int? {
        try Self.byteCount(at: request.location)
    }
}

extension FileStore {
    /// Adds up the lengths of a store's files. The store need not be open. Returns `nil` if the
    /// location is not a file.
    ///
    /// - Throws: `.fileFailure`.
    package static func byteCount(at location: StoreLocation) throws(StoreError) -> Int? {
        guard let url = location.fileURL else { return nil }
        var byteCount = try url.byteCount()
        for file in companionFiles(of: location) {
            byteCount += try file.url.byteCount(followingLink: false)
        }
        return byteCount
    }
}

extension URL {
    /// Returns the length of a file, or the total length of all files in a folder. Returns 0 if
    /// nothing is there. A symbolic link in a folder counts as nothing.
    package func byteCount() throws(StoreError) -> Int { try byteCount(followingLink: true) }

    /// - Parameter followingLink: whether to follow a symbolic link at this URL. If `false`, it
    ///   counts as nothing.
    package func byteCount(followingLink: Bool) throws(StoreError) -> Int {
        let status: stat
        do {
            let path = followingLink ? RealPath.of(path) : path
            guard let found = try PosixFile.companionStatus(path) else { return 0 }
            status = found
        } catch {
            throw .fileFailure(error)
        }
        if status.st_mode & S_IFMT == S_IFLNK { return 0 }
        guard status.st_mode & S_IFMT == S_IFDIR else { return Int(status.st_size) }
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            throw .fileFailure(FileFailure(operation: "opendir", path: path, code: errno))
        }
        var byteCount = 0
        for name in names { byteCount += try appending(path: name).byteCount(followingLink: false) }
        return byteCount
    }
}

extension FileStore {
    /// The default implementation opens the store with the model that it contains.
    public static func entityCounts(
        at location: StoreLocation
    ) throws(StoreError) -> [String: Int] {
        try entityCountsByOpening(location)
    }

    /// Opens the store with the model that it contains, and counts its rows.
    ///
    /// - Throws: the errors of ``entityCounts(at:)``.
    package static func entityCountsByOpening(
        _ location: StoreLocation
    ) throws(StoreError) -> [String: Int] {
        guard let description = try model(at: location) else {
            throw .unsupported(
                location, feature: "no model inside",
                advice: "Pass the model that it was written with.")
        }
        let recorded = try metadata(at: location).entityVersionHashes
        let model: ManagedObjectModel
        do {
            model = try ManagedObjectModel(description, recordedHashes: recorded)
        } catch {
            throw .corrupt(location, location: "the model inside", detail: error.description)
        }
        let store = try open(
            OpenRequest(location: location, model: model, isReadOnly: true, createsMissing: false))
        let counts = Result { () throws(StoreError) in try store.entityCounts() }
        try store.close()
        return try counts.get()
    }
}
