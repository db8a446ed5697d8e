import CairnFiles
import CairnModel
import CairnModelArchive
import CairnStore

/// A state that was read, and what tells whether another one has taken its place.
struct LoadedStore: Sendable {
    var content: AtomicContent
    let held: HeldFile
    let stamp: FileStamp
}
