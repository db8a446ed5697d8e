import CairnModel

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
