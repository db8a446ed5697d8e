import CairnAtomicStore
import CairnStore

/// A store that is a folder of JSON files, one for each object: to be read, compared and kept
/// under version control. Everything but the form of its files is an ``AtomicEngine``'s.
public final class FolderStore: AtomicEngine {
    /// `"Folder"`.
    public static let type: StoreType = "Folder"

    /// What every atomic engine can; values of composite attributes are refused.
    public static let capabilities = StoreCapabilities.atomic(fidelity: [.composite: .none])

    /// The form of the files.
    public static let codec: any AtomicCodec = FolderCodec()

    /// Holds the objects, and saves them.
    public let atomicStore: AtomicStore

    /// Takes the opened store.
    public init(_ atomicStore: AtomicStore) { self.atomicStore = atomicStore }
}
