import CairnAtomicStore
import CairnStore

/// A store in one file, which contains packed rows as they are in memory. The file is read and
/// written as a whole.
///
/// The format is in docs/formats/binary.md. A save writes the whole store to a new file, durably,
/// which then replaces the old one. Other processes may have the store open and save to it. Their
/// saves are read before this process reads or saves. The option `timeout` says for how many
/// seconds a save waits for other saves; the default is 5.
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
