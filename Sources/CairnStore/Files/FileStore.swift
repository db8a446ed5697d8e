import CairnModel

/// A store that is a file, or a folder of files, and that can be looked at without opening it.
///
/// Engines whose stores are in memory or belong to a service do not conform, and write no files at
/// the locations of their stores. Callers that need files ask for `any FileStore.Type`; the other half
/// of the contract does not depend on it.
///
/// A file that is damaged, or cut short, is refused with `.corrupt` or `.notAStore` when it is opened
/// or read, unless it still gives back what was saved. It never ends the process, except in an engine
/// whose documentation says that its library trusts the file. Bytes that a killed process left
/// after the last commit are not damage: the store opens and has every save that was committed.
public protocol FileStore: PersistentStore {
    /// What a file of this engine is called in errors, such as “a SQLite database”. The default
    /// implementation returns “a store of type” and the type.
    static var fileDescription: String { get }

    /// Returns whether the file at the location is one of this engine's, judged by its content.
    ///
    /// Returns `false` if there is no file at the location or it cannot be read. Reads only a few
    /// bytes. Do not open the file with a descriptor of your own if a library in this process may hold
    /// POSIX locks on it: closing any descriptor of a file releases all of the process's locks.
    ///
    /// The default implementation always returns `false`; stores of such an engine can only be opened
    /// by naming their type.
    static func recognizes(_ location: StoreLocation) -> Bool

    /// Reads a store's metadata without opening it.
    ///
    /// - Throws: `.notFound`, `.notAStore`, `.unsupported` (a later format, or a location that is not a
    ///   file), `.busy`, `.corrupt`, `.fileFailure`, `.engineFailure`.
    static func metadata(at location: StoreLocation) throws(StoreError) -> StoreMetadata

    /// Reads the model that the store was written with. Returns `nil` if the store contains none.
    ///
    /// - Throws: as ``metadata(at:)``.
    static func model(at location: StoreLocation) throws(StoreError) -> ModelDescription?

    /// Infers a model, sufficient for reading, from the content of a store that contains none. Returns
    /// `nil` if the content is not enough. The default implementation returns `nil`.
    ///
    /// - Throws: `.unsupported`, with what the content does not show; what ``model(at:)`` throws.
    static func derivedModel(at location: StoreLocation) throws(StoreError) -> ModelDescription?

    /// Counts the rows of each entity, subentities apart, abstract ones too, with no model given.
    ///
    /// The default implementation opens the store with the model that it contains. Engines whose
    /// files contain no model implement this if they can still tell.
    ///
    /// - Throws: `.unsupported` if the store cannot tell without a model; what ``model(at:)`` and
    ///   `open` throw.
    static func entityCounts(at location: StoreLocation) throws(StoreError) -> [String: Int]

    /// Returns the files beside the one at the location that belong to it, whether they exist or not.
    static func companionFiles(of location: StoreLocation) -> [StoreFile]

    /// Runs a body that moves, replaces or removes the store's files, while no process has the store
    /// open.
    ///
    /// A process that opens the store while the body runs waits or is refused with `.locked` or
    /// `.busy`. Before the body runs, the content of companion files such as a log is moved to the
    /// main file, so that the main file and folders of large values are the whole store; a store that
    /// is too damaged for that stays as it is. Temporary files of saves that were killed are removed.
    /// The body must not open the store.
    ///
    /// The default implementation only runs the body. Users of such an engine have to make sure
    /// themselves that its stores are closed.
    ///
    /// - Throws: `.locked` if this process or another has the store open; `.notFound`,
    ///   `.fileFailure`; what the body throws.
    static func withExclusiveUse<Result>(
        of location: StoreLocation, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result
}

extension FileStore {
    /// “A store of type” and the type.
    public static var fileDescription: String { "a store of type \(type)" }

    /// Always `false`.
    public static func recognizes(_ location: StoreLocation) -> Bool { false }

    /// Always `nil`.
    public static func derivedModel(
        at location: StoreLocation
    ) throws(StoreError) -> ModelDescription? {
        nil
    }

    /// Runs the body.
    public static func withExclusiveUse<Result>(
        of location: StoreLocation, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try body()
    }
}
