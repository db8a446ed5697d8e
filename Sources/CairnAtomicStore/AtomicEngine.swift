import CairnModel
import CairnStore
import Foundation

/// An engine that holds a whole store in memory and writes it as a whole: its author writes a
/// codec, and everything else is here.
///
/// ```swift
/// public final class FolderStore: AtomicEngine {
///     public static let type: StoreType = "Folder"
///     public static let capabilities = StoreCapabilities.atomic()
///     public static let codec = FolderCodec()
///     public let atomicStore: AtomicStore
///     public init(_ atomicStore: AtomicStore) { self.atomicStore = atomicStore }
/// }
/// ```
///
/// A save is all or nothing: the new state is written beside the old one, durably, and takes its
/// place in one step. Other processes may have the store open and save to it; what they saved is
/// read before it is asked for, and one lock keeps savers apart. Fetches use indexes, conflicts
/// and unique values are checked, derived attributes computed. The option `timeout` says how many
/// seconds a save waits for other saves: 5, unless given.
///
/// The price is that every save writes, and every opening reads, the whole store.
public protocol AtomicEngine: FileStore, SelfCheckingStore {
    /// The form of the engine's stores.
    associatedtype Codec: AtomicCodec

    /// What turns stores into files and back.
    static var codec: Codec { get }

    /// Takes the opened store.
    init(_ atomicStore: AtomicStore)

    /// What `init` was given.
    var atomicStore: AtomicStore { get }
}

extension StoreCapabilities {
    /// What every ``AtomicEngine`` can: it is durable, rewrites its whole store with each save, is shared by
    /// processes, readers go on while others save, and it takes the option `timeout`.
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

    /// Whether the codec reads metadata there.
    public static func recognizes(_ location: StoreLocation) -> Bool {
        (try? form.metadata(at: location)) != nil
    }

    /// Reads the store's file, or a folder's main file.
    ///
    /// - Throws: `.notFound`, `.notAStore`, `.unsupported`, `.corrupt`, `.fileFailure`.
    public static func metadata(at location: StoreLocation) throws(StoreError) -> StoreMetadata {
        try form.metadata(at: location).withoutSaveRecord
    }

    /// nil: the store keeps no model.
    ///
    /// - Throws: as ``metadata(at:)``.
    public static func model(at location: StoreLocation) throws(StoreError) -> ModelDescription? {
        _ = try form.metadata(at: location)
        return nil
    }

    /// The lock, which is there while a process saves, and keys that saves took and did not commit.
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
        let options = try AtomicOptions(request.options, of: "a store of type \(type)")
        return Self(
            try AtomicStore.open(request, form, busyTimeout: options.busyTimeout))
    }

    /// The same for the same identifier and location.
    public var number: StoreNumber { atomicStore.number }

    /// What the store was opened with.
    public var request: OpenRequest { atomicStore.request }

    /// - Throws: `.closed`; what reading files throws that another process has written.
    public func metadata() throws(StoreError) -> StoreMetadata { try atomicStore.metadata() }

    /// Costs a question to the file system, and reading the store where another process wrote it.
    ///
    /// - Throws: `.closed`; what reading files throws that another process has written.
    public func snapshot() throws(StoreError) -> any StoreSnapshot { try atomicStore.snapshot() }

    /// - Throws: `.closed`, `.readOnly`; `.fileRemoved` and `.fileReplaced` if the store's file is
    ///   gone, or is another store's; `.busy` where others
    ///   saved for the whole `timeout`; what reading files throws.
    public func beginSave() throws(StoreError) -> any SaveTransaction {
        try atomicStore.beginSave()
    }

    /// Reads what other processes saved, and makes the folder's entry for the store durable.
    ///
    /// - Throws: as ``beginSave()``.
    public func outcome(of id: SaveID) throws(StoreError) -> CommitOutcome {
        try atomicStore.outcome(of: id)
    }

    /// Ends the use of the store.
    public func close() throws(StoreError) { atomicStore.close() }
}
