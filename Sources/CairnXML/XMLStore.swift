import CairnAtomicStore
import CairnStore

/// A store in Core Data's XML form: readable, and opened by older Core Data.
///
/// docs/formats/xml.md says what this engine adds to the form, and how a reader that does not know
/// it still reads the rest. A save writes the whole file again, durably, and puts it in the old one's
/// place; other processes may have the store open and save to it. The option `timeout` says how
/// many seconds a save waits for other saves: 5, unless given.
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

    /// Opens a store. One whose model was derived from its objects opens for reading only.
    ///
    /// - Throws: as ``CairnStore/PersistentStore/open(_:)``; `.unsupported` for a derived model, too,
    ///   unless the store is only to be read.
    public static func open(_ request: OpenRequest) throws(StoreError) -> XMLStore {
        guard request.isReadOnly || !ModelDerivation.made(request.model) else {
            throw .unsupported(
                request.location, feature: "no model but one derived from its objects",
                advice: "Open it for reading, or give the model it was written with.")
        }
        return XMLStore(try AtomicStore.open(request, of: XMLStore.self))
    }
}
