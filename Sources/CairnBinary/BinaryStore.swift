import CairnAtomicStore
import CairnStore

/// A store in one file that holds packed rows as they are in memory: read and written as a whole.
///
/// The format is in docs/formats/binary.md. A save writes the whole file again, durably, and puts it in
/// the old one's place. Other processes may have the store open and save to it: what they saved is
/// read before it is asked for. The option `timeout` says how many seconds a save waits for other
/// saves: 5, unless given.
public final class BinaryStore: AtomicEngine {
    /// `"Binary"`.
    public static let type: StoreType = "Binary"

    /// Durable, written as a whole, shared by processes; every value comes back as it was.
    public static let capabilities = StoreCapabilities.atomic()

    /// “A binary store”.
    public static let fileDescription = "a binary store"

    /// The form of the file.
    public static let codec: any AtomicCodec = BinaryCodec()

    /// Holds the objects, and saves them.
    public let atomicStore: AtomicStore

    /// Takes the opened store.
    public init(_ atomicStore: AtomicStore) { self.atomicStore = atomicStore }
}
