import CairnModel
import CairnStore

/// An engine that holds a whole store in memory and writes it as a whole. The author of such an
/// engine only writes a codec.
///
/// ```swift
/// public final class FolderStore: AtomicEngine {
///     public static let type: StoreType = "Folder"
///     public static let capabilities = StoreCapabilities.atomic()
///     public static let codec: any AtomicCodec = FolderCodec()
///     public let atomicStore: AtomicStore
///     public init(_ atomicStore: AtomicStore) { self.atomicStore = atomicStore }
/// }
/// ```
///
/// A save is all or nothing: the new state is written durably to a temporary file, which then
/// replaces the old file in one step. Other processes may have the store open and save to it. Their
/// saves are read before this process reads or saves, and a lock lets one process save at a time.
/// Fetches use indexes. Saves check conflicts and unique values, and compute derived attributes.
/// The option `timeout` determines for how many seconds a save waits for other saves. The default
/// is 5.
///
/// In return, every save writes the whole store, and opening a store reads all of it.
public protocol AtomicEngine: WholeStoreEngine, FileStore {
    /// The codec that converts stores to files and back.
    static var codec: any AtomicCodec { get }
}

extension StoreCapabilities {
    /// Returns the capabilities of an ``CairnAtomicStore/AtomicEngine``: it is durable, rewrites its
    /// whole store with each save, can be shared by processes, can be read while others save, remembers the
    /// names of saves, and has the options `timeout` and `tracksHistory`.
    ///
    /// - Parameters:
    ///   - fidelity: the types whose values the codec does not store exactly.
    ///   - options: the options besides `timeout` and `tracksHistory`. The engine reads them from the request in its `open(_:)`.
    public static func atomic(
        fidelity: [AttributeType: Fidelity] = [:], options: Set<StoreOption> = []
    ) -> StoreCapabilities {
        StoreCapabilities(
            isDurable: true, rewritesWholeFile: true, readsDuringSave: true, isShared: true,
            groupsSaves: true, savesInParts: true, namedSaves: .remembered, fidelity: fidelity,
            options: options.union([.timeout, .tracksHistory]))
    }
}

extension AtomicEngine {
    private static var form: CodecForm { CodecForm(codec, of: type) }

    /// Returns whether the codec recognizes the beginning of the store's file, or of the main file
    /// of a folder. A damaged store may be recognized, too.
    public static func recognizes(_ location: StoreLocation) -> Bool {
        form.recognizes(location)
    }

    /// Reads the metadata from the beginning of the store's file, or from the main file of a
    /// folder.
    ///
    /// - Throws: `.notFound`, `.notAStore`, `.unsupported`, `.corrupt`, `.fileFailure`.
    public static func metadata(at location: StoreLocation) throws(StoreError) -> StoreMetadata {
        try form.head(at: location).metadata.withoutRecords
    }

    /// Decodes the model in the store's head. Returns `nil` if the head contains no model.
    ///
    /// - Throws: the errors of ``metadata(at:)``.
    public static func model(at location: StoreLocation) throws(StoreError) -> ModelDescription? {
        try CodecForm.model(in: form.head(at: location), at: location)
    }

    /// Returns the model that the codec infers from the whole store.
    ///
    /// - Throws: the errors of ``metadata(at:)``; `.unsupported`, which says what the store does
    ///   not reveal.
    public static func derivedModel(
        at location: StoreLocation
    ) throws(StoreError) -> ModelDescription? {
        try form.derivedModel(at: location)
    }

    /// Returns the counts in the store's head. If the head contains no counts, opens the store with
    /// the model that it contains, and counts the rows.
    ///
    /// - Throws: the errors of ``metadata(at:)``; `.unsupported` if the store contains neither
    ///   counts nor a model.
    public static func entityCounts(
        at location: StoreLocation
    ) throws(StoreError) -> [String: Int] {
        if let counts = try form.head(at: location).entityCounts { return counts }
        if let counts = try form.wholeHead(at: location).entityCounts { return counts }
        return try entityCountsByOpening(location)
    }

    /// Returns the lock file, which exists while a process saves, the file with keys that saves
    /// reserved without committing, and the log of the history.
    public static func companionFiles(of location: StoreLocation) -> [StoreFile] {
        AtomicFile.companions(of: location)
    }

    /// Runs the body while no process has the store open, and keeps others from opening it in the
    /// meantime.
    ///
    /// - Throws: the errors of ``CairnStore/FileStore/withExclusiveUse(of:_:)``.
    public static func withExclusiveUse<Result>(
        of location: StoreLocation, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try AtomicStore.withExclusiveUse(of: location, isFolder: codec.mainFile != nil, body)
    }

    /// Opens the store. See ``AtomicStore/open(_:of:)``.
    ///
    /// - Throws: the errors of ``CairnStore/PersistentStore/open(_:)``.
    public static func open(_ request: OpenRequest) throws(StoreError) -> Self {
        Self(try AtomicStore.open(request, of: Self.self))
    }
}

/// An engine that holds each open store in memory as a whole.
///
/// An ``AtomicStore`` implements the contract for an open store, and the engine determines where
/// stores come from. An engine whose stores are files conforms to ``AtomicEngine``, which opens
/// them. An engine whose stores end with the process creates them with
/// `AtomicStore.inMemory(_:of:)`.
public protocol WholeStoreEngine: SelfCheckingStore, ContentHistoryStore {
    /// Creates the engine's object for an open store.
    init(_ atomicStore: AtomicStore)

    /// The store that was passed to the initializer.
    var atomicStore: AtomicStore { get }
}

extension WholeStoreEngine {
    /// The store's number. It is the same for each store with the same identifier and location, and
    /// the same numbering of entities.
    public var number: StoreNumber { atomicStore.number }

    /// The request that the store was opened with.
    public var request: OpenRequest { atomicStore.request }

    /// Returns the store's metadata.
    ///
    /// - Throws: `.closed`; the errors of reading a file that another process has written.
    public func metadata() throws(StoreError) -> StoreMetadata { try atomicStore.metadata() }

    /// Returns a snapshot. The cost does not depend on the size of the store. If the store is a
    /// file, the file system is asked whether another process has saved. If so, the whole store is
    /// read.
    ///
    /// - Throws: `.closed`; the errors of reading a file that another process has written.
    public func snapshot() throws(StoreError) -> any StoreSnapshot { try atomicStore.snapshot() }

    /// Returns the newest state, which stays in memory while it is held. Returns `nil` if the store has no
    /// file.
    ///
    /// - Throws: `.closed`; the errors of reading a file that another process has written.
    public func stateToCopy() throws(StoreError) -> (any StateToCopy)? {
        try atomicStore.stateToCopy()
    }

    /// Begins a save.
    ///
    /// - Throws: `.closed`, `.readOnly`; `.fileRemoved` and `.fileReplaced` if the store's file was
    ///   removed or belongs to another store; `.busy` if other saves took longer than `timeout`;
    ///   the errors of reading the file.
    public func beginSave() throws(StoreError) -> any SaveTransaction {
        try atomicStore.beginSave()
    }

    /// Reads what other processes have saved, and makes the folder's entry for the store durable. A
    /// store without a file forgets the names of its saves when it is closed.
    ///
    /// - Throws: the errors of ``beginSave()``.
    public func outcome(of id: SaveID) throws(StoreError) -> CommitOutcome {
        try atomicStore.outcome(of: id)
    }

    /// Returns the content of the newest state, including the history.
    ///
    /// - Throws: the errors of ``snapshot()``.
    public func newestContent() throws(StoreError) -> StoreContent {
        try atomicStore.newestState()
    }

    /// Closes the store. Snapshots that are still held throw `.closed` from then on.
    public func close() throws(StoreError) { atomicStore.close() }
}
