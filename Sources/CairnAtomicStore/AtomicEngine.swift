import CairnModel
import CairnStore

/// An engine that holds a whole store in memory and writes it as a whole. The author of an engine
/// writes a codec; everything else is here.
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
/// A save is all or nothing: the new state is written to a temporary file, durably, and that file
/// replaces the old one in one step. Other processes may have the store open and save to it. Their
/// saves are read before this process reads or saves, and a lock lets one process save at a time.
/// Fetches use indexes. Saves check conflicts and unique values, and compute derived attributes.
/// The option `timeout` says for how many seconds a save waits for other saves; the default is 5.
///
/// The price is that every save writes, and every opening reads, the whole store.
public protocol AtomicEngine: WholeStoreEngine, FileStore {
    /// The codec, which turns stores into files and back.
    static var codec: any AtomicCodec { get }
}

extension StoreCapabilities {
    /// Returns the capabilities of every ``CairnAtomicStore/AtomicEngine``: it is durable, rewrites its whole store
    /// with each save, can be shared by processes, can be read while others save, and has the
    /// option `timeout`.
    ///
    /// - Parameter fidelity: the types of which the codec does not keep every value.
    public static func atomic(fidelity: [AttributeType: Fidelity] = [:]) -> StoreCapabilities {
        StoreCapabilities(
            isDurable: true, rewritesWholeFile: true, readsDuringSave: true, isShared: true,
            namedSaves: .remembered, fidelity: fidelity, options: AtomicOptions.all)
    }
}

extension AtomicEngine {
    private static var form: CodecForm { CodecForm(codec, of: type) }

    /// Whether the codec recognizes the beginning of the store's file, or of a folder's main file. A
    /// damaged store is recognized, too.
    public static func recognizes(_ location: StoreLocation) -> Bool {
        form.recognizes(location)
    }

    /// Reads the beginning of the store's file, or a folder's main file.
    ///
    /// - Throws: `.notFound`, `.notAStore`, `.unsupported`, `.corrupt`, `.fileFailure`.
    public static func metadata(at location: StoreLocation) throws(StoreError) -> StoreMetadata {
        try form.head(at: location).metadata.withoutSaveRecord
    }

    /// Decodes the model that the codec keeps in the store's head. Returns `nil` if it keeps none.
    ///
    /// - Throws: as ``metadata(at:)``.
    public static func model(at location: StoreLocation) throws(StoreError) -> ModelDescription? {
        try CodecForm.model(in: form.head(at: location), at: location)
    }

    /// Returns what the codec infers from the whole store.
    ///
    /// - Throws: as ``metadata(at:)``; `.unsupported`, with what the store does not show.
    public static func derivedModel(
        at location: StoreLocation
    ) throws(StoreError) -> ModelDescription? {
        try form.derivedModel(at: location)
    }

    /// Returns the counts in the store's head. If the head has none, opens the store with the model
    /// that it contains, and counts.
    ///
    /// - Throws: as ``metadata(at:)``; `.unsupported` if the store contains neither.
    public static func entityCounts(
        at location: StoreLocation
    ) throws(StoreError) -> [String: Int] {
        if let counts = try form.head(at: location).entityCounts { return counts }
        if let counts = try form.wholeHead(at: location).entityCounts { return counts }
        return try entityCountsByOpening(location)
    }

    /// The lock file, which exists while a process saves, and the file of the keys that saves took
    /// and did not commit.
    public static func companionFiles(of location: StoreLocation) -> [StoreFile] {
        AtomicFile.companions(of: location)
    }

    /// Runs the body while no process has the store open, and keeps others from opening it meanwhile.
    ///
    /// - Throws: as ``CairnStore/FileStore/withExclusiveUse(of:_:)``.
    public static func withExclusiveUse<Result>(
        of location: StoreLocation, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try AtomicStore.withExclusiveUse(of: location, isFolder: codec.mainFile != nil, body)
    }

    /// - Throws: as ``CairnStore/PersistentStore/open(_:)``.
    public static func open(_ request: OpenRequest) throws(StoreError) -> Self {
        Self(try AtomicStore.open(request, of: Self.self))
    }
}
