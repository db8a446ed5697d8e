import CairnAtomicStore
import CairnModel
import CairnStore
import Foundation

/// A store in one file that holds packed rows as they are in memory: read and written as a whole.
///
/// The format is in docs/formats/binary.md. A save writes the file anew, durably, and puts it in
/// the old one's place. Other processes may have the store open and save to it: what they saved is
/// read before it is asked for. The option `timeout` says how many seconds a save waits for other
/// saves: 5, unless given.
public final class BinaryStore: FileStore, SelfCheckingStore {
    /// `"Binary"`.
    public static let type: StoreType = "Binary"

    /// Durable, written as a whole, shared by processes; every value comes back as it was.
    public static let capabilities = StoreCapabilities(
        isDurable: true, rewritesWholeFile: true, readsDuringSave: true, isShared: true,
        namedSaves: .remembered, options: AtomicOptions.all)

    private let store: AtomicStore

    private init(_ store: AtomicStore) { self.store = store }

    // MARK: Files

    /// “A binary store”.
    public static let fileDescription = "a binary store"

    /// Whether the file begins as a binary store does.
    public static func recognizes(_ location: StoreLocation) -> Bool {
        FileInspection.begins(location, as: BinaryHead.begins)
    }

    /// Reads the head of the file and checks its checksum.
    ///
    /// - Throws: `.notFound`, `.notAStore`, `.unsupported`, `.corrupt`, `.fileFailure`.
    public static func metadata(at location: StoreLocation) throws(StoreError) -> StoreMetadata {
        try BinaryHead(at: location).metadata.withoutSaveRecord
    }

    /// - Throws: as ``metadata(at:)``.
    public static func model(at location: StoreLocation) throws(StoreError) -> ModelDescription? {
        try BinaryHead(at: location).model(at: location)
    }

    /// Keys that saves took and did not commit, until one commits; the lock, while a process saves.
    public static func companionFiles(of location: StoreLocation) -> [StoreFile] {
        AtomicFile.companions(of: location)
    }

    /// Sees every process that has the store open as it is now.
    ///
    /// - Throws: as ``CairnStore/FileStore/withExclusiveUse(of:_:)``.
    public static func withExclusiveUse<Result>(
        of location: StoreLocation, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try AtomicStore.withExclusiveUse(of: location, body)
    }

    // MARK: Opening

    /// - Throws: as ``CairnStore/PersistentStore/open(_:)``.
    public static func open(_ request: OpenRequest) throws(StoreError) -> BinaryStore {
        let options = try AtomicOptions(request.options, of: "a binary store")
        return BinaryStore(
            try AtomicStore.open(
                request, BinaryCodec(request), busyTimeout: options.busyTimeout))
    }

    /// The same for the same identifier and location.
    public var number: StoreNumber { store.number }

    /// What the store was opened with.
    public var request: OpenRequest { store.request }

    /// - Throws: `.closed`; what reading a file throws that another process has written.
    public func metadata() throws(StoreError) -> StoreMetadata { try store.metadata() }

    /// Costs a question to the file system, and reading the file where another process wrote it.
    ///
    /// - Throws: `.closed`; what reading the file throws.
    public func snapshot() throws(StoreError) -> any StoreSnapshot { try store.snapshot() }

    /// - Throws: `.closed`, `.readOnly`, `.notFound` where the file is gone; `.busy` where others
    ///   saved for the whole `timeout`; what reading the file throws.
    public func beginSave() throws(StoreError) -> any SaveTransaction { try store.beginSave() }

    /// Reads what other processes saved, and makes the folder's entry for the file durable.
    ///
    /// - Throws: as ``beginSave()``.
    public func outcome(of id: SaveID) throws(StoreError) -> CommitOutcome {
        try store.outcome(of: id)
    }

    /// Ends the use of the store.
    public func close() throws(StoreError) { store.close() }
}
