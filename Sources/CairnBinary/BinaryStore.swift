import CairnAtomicStore
import CairnStore

/// A store in a single file that contains packed rows in the same form as in memory. The file is read and
/// written as a whole.
///
/// docs/formats/binary.md describes the format. A save writes the whole store to a new file, durably, which
/// then replaces the old one. Other processes may have the store open and save to it. Their saves are read
/// before this process reads or saves. The option `timeout` is the number of seconds that a save waits for
/// other saves. The default is 5.
package final class BinaryStore: AtomicEngine {
    /// The store type `"Binary"`.
    package static let type: StoreType = "Binary"

    /// The store is durable, is written as a whole, and can be shared by processes. Every value is read back
    /// as it was saved.
    package static let capabilities = StoreCapabilities.atomic()

    /// The description for messages, “a binary store”.
    package static let fileDescription = "a binary store"

    /// The codec for the format of the file.
    package static let codec: any AtomicCodec = BinaryCodec()

    /// The atomic store that contains the objects and saves them.
    package let atomicStore: AtomicStore

    /// Creates the engine for an opened store.
    package init(_ atomicStore: AtomicStore) { self.atomicStore = atomicStore }
}
