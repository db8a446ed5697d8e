import CairnAtomicStore
import CairnStore

/// A store that lives in memory and is gone with the process.
///
/// Each one opened is new and empty, whatever its location: as in Core Data, the location only
/// names it. A snapshot costs nothing, and readers and the writer never wait for each other. The
/// option `timeout` says how many seconds a save waits for other saves: 5, unless given.
public final class InMemoryStore: WholeStoreEngine {
    /// `"InMemory"`.
    public static let type: StoreType = "InMemory"

    /// Not durable; reads go on during a save; every value comes back as it was; takes `timeout`.
    public static let capabilities = StoreCapabilities(
        readsDuringSave: true, namedSaves: .remembered, options: [.timeout])

    /// Holds the objects.
    public let atomicStore: AtomicStore

    /// Takes the new store.
    public init(_ atomicStore: AtomicStore) { self.atomicStore = atomicStore }

    /// Makes a new, empty store.
    ///
    /// - Throws: as ``CairnAtomicStore/AtomicStore/inMemory(_:of:)``.
    public static func open(_ request: OpenRequest) throws(StoreError) -> InMemoryStore {
        InMemoryStore(try AtomicStore.inMemory(request, of: type))
    }

    /// The bytes that the rows take; what finds them, indexes and pairs, is not counted.
    ///
    /// - Throws: `.closed`.
    public func byteCount() throws(StoreError) -> Int? { try atomicStore.rowByteCount() }
}
