import CairnAtomicStore
import CairnStore

/// A store in Core Data's XML form: readable, and opened by older Core Data.
///
/// docs/formats/xml.md says what this engine adds to the form, and how a reader that does not know
/// the additions still reads the rest. A save writes the whole store to a new file, durably, which
/// then replaces the old one. Other processes may have the store open and save to it. The option
/// `timeout` says for how many seconds a save waits for other saves; the default is 5.
public final class XMLStore: AtomicEngine {
    /// `"XML"`.
    public static let type: StoreType = "XML"

    /// Durable, written as a whole, shared by processes; every value comes back as it was.
    public static let capabilities = StoreCapabilities.atomic()

    /// “An XML store”.
    public static let fileDescription = "an XML store"

    /// The form of the file.
    public static let codec: any AtomicCodec = XMLCodec()

    /// Holds the objects, and saves them.
    public let atomicStore: AtomicStore

    /// Takes the opened store.
    public init(_ atomicStore: AtomicStore) { self.atomicStore = atomicStore }

    /// Opens a store. If the model was derived from the store's objects, the store opens for
    /// reading only.
    ///
    /// - Throws: as ``CairnStore/PersistentStore/open(_:)``; also `.unsupported` for a derived
    ///   model, unless the store is opened for reading only.
    public static func open(_ request: OpenRequest) throws(StoreError) -> XMLStore {
        guard request.isReadOnly || !ModelDerivation.made(request.model) else {
            throw .unsupported(
                request.location, feature: "no model but one derived from its objects",
                advice: "Open it for reading, or give the model it was written with.")
        }
        return XMLStore(try AtomicStore.open(request, of: XMLStore.self))
    }
}
