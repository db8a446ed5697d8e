import CairnAtomicStore
import CairnStore

/// A store that is a folder of JSON files, one for each object, suitable for reading, comparing and version
/// control. ``AtomicEngine`` implements everything except the format of the files.
public final class FolderStore: AtomicEngine {
    /// `"Folder"`.
    public static let type: StoreType = "Folder"

    /// The capabilities of every atomic engine. Values of composite attributes are refused.
    public static let capabilities = StoreCapabilities.atomic(fidelity: [.composite: .none])

    /// The format of the files.
    public static let codec: any AtomicCodec = FolderCodec()

    /// Contains the objects and saves them.
    public let atomicStore: AtomicStore

    /// Creates the engine's store from the opened atomic store.
    public init(_ atomicStore: AtomicStore) { self.atomicStore = atomicStore }
}
