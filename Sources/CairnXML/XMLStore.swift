import CairnAtomicStore
import CairnStore

/// A store in Core Data's XML form, which is human-readable and can be opened by older versions of Core Data.
///
/// docs/formats/xml.md describes what this engine adds to the form, and how readers that do not know the
/// additions can still read the rest. A save writes the whole store to a new file, durably, which then
/// replaces the old one. Other processes may have the store open and save to it. The option `timeout` is the
/// number of seconds that a save waits for other saves. The default is 5.
package final class XMLStore: AtomicEngine {
    /// The store type `"XML"`.
    package static let type: StoreType = "XML"

    /// The store is durable, is written as a whole, and can be shared by processes. Every value is read back
    /// as it was saved.
    package static let capabilities = StoreCapabilities.atomic()

    /// The description for messages, “an XML store”.
    package static let fileDescription = "an XML store"

    /// The codec for the format of the file.
    package static let codec: any AtomicCodec = XMLCodec()

    /// The atomic store that contains the objects and saves them.
    package let atomicStore: AtomicStore

    /// Creates the engine for an opened store.
    package init(_ atomicStore: AtomicStore) { self.atomicStore = atomicStore }

    /// Opens a store. If the model was derived from the store's objects, the store can only be opened for
    /// reading.
    ///
    /// - Throws: The errors of ``CairnStore/PersistentStore/open(_:)``. Also `.unsupported` if the model is
    ///   derived and the store is not opened for reading only.
    package static func open(_ request: OpenRequest) throws(StoreError) -> XMLStore {
        guard request.isReadOnly || !ModelDerivation.made(request.model) else {
            throw .unsupported(
                request.location, feature: "only a model that was derived from its objects",
                advice: "Open it as read-only, or pass the model that it was written with.")
        }
        return XMLStore(try AtomicStore.open(request, of: XMLStore.self))
    }
}
