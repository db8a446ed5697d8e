import CairnAtomicStore
import CairnStore

/// A store that exists only in memory and only as long as the process.
///
/// Every store is new and empty when it is opened. As in Core Data, its location only serves as a name. A
/// snapshot costs nothing, and readers and the writer never wait for each other. The option `timeout` is the
/// number of seconds that a save waits for other saves. The default is 5. With the option `tracksHistory`, the
/// store keeps a history.
package final class InMemoryStore: WholeStoreEngine {
    /// The store type `"InMemory"`.
    package static let type: StoreType = "InMemory"

    /// The store is not durable, can be read during a save, and supports the option `timeout`. Every value is
    /// read back as it was saved.
    package static let capabilities = StoreCapabilities(
        readsDuringSave: true, groupsSaves: true, savesInParts: true, namedSaves: .remembered,
        options: [.timeout, .tracksHistory])

    /// The atomic store that contains the objects.
    package let atomicStore: AtomicStore

    /// Creates the engine for a new store.
    package init(_ atomicStore: AtomicStore) { self.atomicStore = atomicStore }

    /// Creates a new, empty store.
    ///
    /// - Throws: The errors of `AtomicStore.inMemory(_:of:)`.
    package static func open(_ request: OpenRequest) throws(StoreError) -> InMemoryStore {
        InMemoryStore(try AtomicStore.inMemory(request, of: type))
    }

    /// Returns the number of bytes that the rows take, without the indexes and pairs.
    ///
    /// - Throws: `.closed`.
    package func byteCount() throws(StoreError) -> Int? { try atomicStore.rowByteCount() }
}
