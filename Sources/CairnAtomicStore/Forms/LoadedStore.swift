import CairnEngineKit
import CairnFiles
import CairnModel
import CairnModelArchive

/// The content of a store's file, together with the file and its stamp, which show whether it was
/// replaced.
struct LoadedStore: Sendable {
    var content: StoreContent
    let held: HeldFile
    let stamp: FileStamp
}
