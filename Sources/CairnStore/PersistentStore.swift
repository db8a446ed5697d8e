import CairnModel

/// One opened store: where objects live while no context holds them.
///
/// An engine author conforms one final class to this, one to ``StoreSnapshot``, one to
/// ``RowCursor`` and one to ``SaveTransaction``. Calls carry many rows, but for a fault's; a read is a
/// snapshot; a save is begun, prepared and committed. All calls are synchronous, and safe from any
/// thread unless they say otherwise.
///
/// An engine may be simple; it may never be wrong: what it does not do, it says it did not do, and
/// the coordinator finishes it.
public protocol PersistentStore: AnyObject, Sendable {
    /// The name by which users pick the engine.
    static var type: StoreType { get }
    /// What the engine does itself and what it keeps exactly.
    static var capabilities: StoreCapabilities { get }

    /// Whether the file at the location is one of this engine's, judged by its content.
    ///
    /// False where there is none, where it cannot be read, and unless an engine says otherwise: its
    /// stores are then opened by their type's name alone. Reads a few bytes, and none by a
    /// descriptor of its own where a library of this process may have locks on the file.
    static func recognizes(_ location: StoreLocation) -> Bool

    /// Reads a store's metadata without opening it.
    ///
    /// - Throws: `.notFound`, `.notAStore`, `.unsupported` (a later format, or no kind of place for
    ///   this engine), `.busy`, `.corrupt`, `.fileFailure`, `.engineFailure`.
    static func metadata(at location: StoreLocation) throws(StoreError) -> StoreMetadata

    /// Reads the model that the store was written with; nil where the store keeps none.
    ///
    /// - Throws: `.notFound`, `.notAStore`, `.unsupported` (a later format, or no kind of place for
    ///   this engine), `.busy`, `.corrupt`, `.fileFailure`, `.engineFailure`.
    static func model(at location: StoreLocation) throws(StoreError) -> ModelDescription?

    /// Makes a model of what the content of a store that keeps none shows, good for reading it; nil
    /// where it shows none, and unless an engine says otherwise.
    ///
    /// - Throws: `.unsupported`, with what the content does not show; what `model(at:)` throws.
    static func derivedModel(at location: StoreLocation) throws(StoreError) -> ModelDescription?

    /// Counts the rows of each entity, subentities apart, abstract ones too, with no model given.
    ///
    /// Engines whose files keep no model override this where they can still tell.
    ///
    /// - Throws: `.unsupported` where the store cannot tell without a model; what
    ///   `model(at:)` and `open` throw.
    static func entityCounts(at location: StoreLocation) throws(StoreError) -> [String: Int]

    /// Opens a store, and creates it where there is none and the request allows that.
    ///
    /// Creation is all or nothing: a failure leaves no file that was not there before. A missing
    /// folder is not made.
    ///
    /// The model of the request must have every entity that an existing store records, with the same
    /// version hash. The model may have more entities, and may give all of them other numbers: the
    /// store has the same objects, and none of the new entities. A save of an object of a new entity
    /// succeeds or throws `.unsupported`.
    ///
    /// - Throws: `.notFound` (read-only, or creation not allowed), `.folderMissing`, `.notAStore`,
    ///   `.modelMismatch`, `.invalidOption`, `.unsupported`, `.readOnly`, `.busy`, `.locked`,
    ///   `.corrupt`, `.fileFailure`, `.engineFailure`.
    static func open(_ request: OpenRequest) throws(StoreError) -> Self

    /// The files beside the one at the location that belong to it, whether there or not.
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

    /// The number in the IDs of this store's objects.
    var number: StoreNumber { get }
    /// What the store was opened with; its `location` names the store in errors.
    var request: OpenRequest { get }

    /// Returns what the store says of itself now, including what other handles and processes saved.
    ///
    /// - Throws: `.closed`, `.busy`, `.corrupt`, `.engineFailure`.
    func metadata() throws(StoreError) -> StoreMetadata

    /// Returns one consistent state of the store: the newest that was committed.
    ///
    /// - Throws: `.closed`, `.busy`, `.corrupt`, `.engineFailure`.
    func snapshot() throws(StoreError) -> any StoreSnapshot

    /// Returns the generation of the newest state: that of a snapshot taken now. An engine that
    /// can tell without taking one says so here.
    ///
    /// - Throws: as ``snapshot()``.
    func newestGeneration() throws(StoreError) -> StoreGeneration

    /// Begins a save and takes the store's write lock, which also excludes other processes.
    ///
    /// The lock is one way to see to it that conflicts are detected, and the simplest. An engine that
    /// sees to it in another way says so (``StoreCapabilities/savesInParallel``) and takes no lock of
    /// the whole store.
    ///
    /// Waits for other saves up to the store's option `timeout`, if the engine has it, and then throws
    /// `.busy`.
    ///
    /// - Throws: `.closed`, `.readOnly`, `.busy`, `.corrupt`, `.fileFailure`, `.engineFailure`.
    func beginSave() throws(StoreError) -> any SaveTransaction

    /// Begins a save as ``beginSave()`` does, and reserves keys for it as
    /// ``SaveTransaction/reserveKeys(_:)`` does, in one step.
    ///
    /// The coordinator begins every save with this call. An engine on another machine implements it
    /// as one message, so that a save of any size is three: this one, prepare and commit. If it
    /// throws, no save was begun.
    ///
    /// The default implementation makes the two calls, and asks for the newest generation if
    /// snapshots can be taken during a save.
    ///
    /// - Throws: what ``beginSave()`` and ``SaveTransaction/reserveKeys(_:)`` throw.
    func beginSave(
        reserving counts: [EntityNumber: Int]
    ) throws(StoreError) -> BegunSave

    /// Reserves keys apart from any save and without the store's write lock, for each root entity a
    /// range of as many as are asked for. Returns `nil` if the engine reserves keys only in a save.
    ///
    /// A key is never given twice, also if no save uses it. If the engine can do this, the
    /// coordinator packs the rows of new objects before it begins the save, so that nobody waits
    /// for the packing. The default implementation returns `nil`.
    ///
    /// - Throws: what ``SaveTransaction/reserveKeys(_:)`` throws; `.readOnly`.
    func reserveKeys(
        _ counts: [EntityNumber: Int]
    ) throws(StoreError) -> [EntityNumber: Range<Int64>]?

    /// Returns whether the save with this name (``SaveRequest/id``) took place, after its transaction
    /// has ended or its process has died.
    ///
    /// A store remembers the names of at least its last 1,000 named saves. A name that it does not
    /// remember is answered with `.notSaved` only if the store knows that it never recorded the name,
    /// and with `.forgotten` otherwise.
    ///
    /// The answer is final: the save does not take place after `.notSaved`, and is durable after
    /// `.saved`. What a failed commit left half written must not change that, nor a commit that is
    /// still on its way. So the call takes the write lock, waits for it as ``beginSave()`` does, and
    /// may write.
    ///
    /// The default implementation returns `.forgotten`, for engines that record no names.
    ///
    /// - Throws: what ``beginSave()`` throws; `.commitOutcomeUnknown` if the answer could not be made
    ///   final.
    func outcome(of id: SaveID) throws(StoreError) -> CommitOutcome

    /// How many bytes the store takes now: its file with all companion files that are there, by
    /// their lengths; of a store in memory, what its rows hold. nil where the engine cannot tell.
    ///
    /// Asks the file system about each file, and may be called on a closed store. Engines whose
    /// stores are no files and folders override this.
    ///
    /// - Throws: `.closed` where only an open store can tell, `.fileFailure`.
    func byteCount() throws(StoreError) -> Int?

    /// Reads the whole store and returns each disagreement between its rows and what the engine
    /// keeps beside them, such as indexes, and each row that is damaged; empty: all is well.
    ///
    /// Engines that keep nothing beside their rows leave this as it is: it finds nothing.
    ///
    /// - Throws: `.closed`, `.busy`, `.corrupt`, `.engineFailure`.
    func findDisagreements() throws(StoreError) -> [StoreDisagreement]

    /// Closes the store. Snapshots that are still held throw `.closed` from then on.
    ///
    /// Closing a store twice has no effect.
    ///
    /// - Throws: `.corrupt`, `.engineFailure`; the store is closed all the same.
    func close() throws(StoreError)
}

extension PersistentStore {
    /// Takes a snapshot to ask it.
    public func newestGeneration() throws(StoreError) -> StoreGeneration {
        try snapshot().generation
    }

    /// Begins the save, then reserves the keys.
    public func beginSave(
        reserving counts: [EntityNumber: Int]
    ) throws(StoreError) -> BegunSave {
        let transaction = try beginSave()
        do throws(StoreError) {
            let keys = counts.isEmpty ? [:] : try transaction.reserveKeys(counts)
            let generation = Self.capabilities.readsDuringSave ? try newestGeneration() : nil
            return BegunSave(transaction, keys: keys, generation: generation)
        } catch {
            transaction.rollback()
            throw error
        }
    }

    /// Returns `nil`.
    public func reserveKeys(
        _ counts: [EntityNumber: Int]
    ) throws(StoreError) -> [EntityNumber: Range<Int64>]? { nil }

    /// Returns `.forgotten`.
    public func outcome(of id: SaveID) throws(StoreError) -> CommitOutcome { .forgotten }
}

/// What to open, and how.
public struct OpenRequest: Sendable {
    /// Where the store is, or is to be made.
    public var location: StoreLocation
    /// The model whose objects the store will hold.
    public var model: ManagedObjectModel
    /// The row layouts of that model.
    public var layouts: RowLayouts
    /// The configuration whose entities the store holds, each with its whole inheritance hierarchy.
    /// `nil` if the store holds all entities of the model.
    ///
    /// Keys and rows of any other entity are refused with `.unsupported`, as is a configuration that
    /// the model does not have.
    public var configuration: String?
    /// Whether saves are refused. The engine then changes no file.
    public var isReadOnly: Bool
    /// Whether a missing store is created.
    public var createsMissing: Bool
    /// Settings for the engine; one that it does not know is refused with `.invalidOption`.
    public var options: StoreOptions

    /// - Parameter layouts: those of `model`; nil makes them.
    public init(
        location: StoreLocation, model: ManagedObjectModel, layouts: RowLayouts? = nil,
        configuration: String? = nil, isReadOnly: Bool = false, createsMissing: Bool = true,
        options: StoreOptions = [:]
    ) {
        self.location = location
        self.model = model
        self.layouts = layouts ?? RowLayouts(model)
        self.configuration = configuration
        self.isReadOnly = isReadOnly
        self.createsMissing = createsMissing
        self.options = options
    }
}
