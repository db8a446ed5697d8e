import CairnAtomicStore
import CairnModel
import CairnStore
import Foundation

/// A store in Core Data's XML form: readable, and opened by older Core Data.
///
/// docs/formats/xml.md says what this engine adds to the form, and how a reader that does not know
/// it still reads the rest. A save writes the file anew, durably, and puts it in the old one's
/// place; other processes may have the store open and save to it. The option `timeout` says how
/// many seconds a save waits for other saves: 5, unless given.
public final class XMLStore: FileStore, SelfCheckingStore {
    /// `"XML"`.
    public static let type: StoreType = "XML"

    /// Durable, written as a whole, shared by processes; every value comes back as it was.
    public static let capabilities = StoreCapabilities(
        isDurable: true, rewritesWholeFile: true, readsDuringSave: true, isShared: true,
        namedSaves: .remembered, options: AtomicOptions.all)

    private let store: AtomicStore

    private init(_ store: AtomicStore) { self.store = store }

    // MARK: Files

    /// “An XML store”.
    public static let fileDescription = "an XML store"

    /// Whether the file begins as Core Data's XML does: with its DOCTYPE, or its root element.
    public static func recognizes(_ location: StoreLocation) -> Bool {
        FileInspection.begins(location) { FileKind.isXML($0) && StoreDocument.begins($0) }
    }

    /// Reads what the file says of itself before its objects.
    ///
    /// - Throws: `.notFound`, `.notAStore`, `.corrupt`, `.fileFailure`.
    public static func metadata(at location: StoreLocation) throws(StoreError) -> StoreMetadata {
        try document(at: location).storeMetadata.withoutSaveRecord
    }

    /// nil for a file that this engine has not written: Core Data's keep no model.
    ///
    /// - Throws: as ``metadata(at:)``.
    public static func model(at location: StoreLocation) throws(StoreError) -> ModelDescription? {
        try document(at: location).model(at: location)
    }

    /// What the objects of a file without a model show of one: entities, attributes that have values
    /// and their types, relationships. ``open(_:)`` takes it for reading only.
    ///
    /// - Throws: as ``metadata(at:)``; `.unsupported`, with what the file does not say.
    public static func derivedModel(
        at location: StoreLocation
    ) throws(StoreError) -> ModelDescription? {
        let inspection = try FileInspection(location, expected: type)
        try inspection.requireBeginning(FileKind.isXML)
        let bytes = try inspection.allBytes()
        let metadata = try StoreDocument(bytes, at: location).storeMetadata
        let shape = DocumentShape()
        do throws(XMLDamage) {
            try SAXParser.parse(bytes, into: shape)
        } catch {
            throw .unsupported(
                location, feature: "no model, and at line \(error.line) \(error.detail)",
                advice: "Give the model it was written with.")
        }
        return try ModelDerivation(
            shape: shape, entityNames: Set(metadata.entityVersionHashes.keys), location: location
        ).model()
    }

    /// Counts the objects of each entity, with no model needed.
    ///
    /// - Throws: as ``metadata(at:)``.
    public static func entityCounts(
        at location: StoreLocation
    ) throws(StoreError) -> [String: Int] {
        try document(at: location).entityCounts
    }

    private static func document(at location: StoreLocation) throws(StoreError) -> StoreDocument {
        let inspection = try FileInspection(location, expected: type)
        try inspection.requireBeginning(FileKind.isXML)
        return try StoreDocument(try inspection.allBytes(), at: location)
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

    /// - Throws: as ``CairnStore/PersistentStore/open(_:)``; `.unsupported` for a derived model, too,
    ///   unless the store is only to be read.
    public static func open(_ request: OpenRequest) throws(StoreError) -> XMLStore {
        guard request.isReadOnly || !ModelDerivation.made(request.model) else {
            throw .unsupported(
                request.location, feature: "no model but one derived from its objects",
                advice: "Open it for reading, or give the model it was written with.")
        }
        let options = try AtomicOptions(request.options, of: "an XML store")
        return XMLStore(
            try AtomicStore.open(request, XMLCodec(request), busyTimeout: options.busyTimeout))
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
