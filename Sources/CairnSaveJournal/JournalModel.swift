import CairnRows
import Synchronization

/// The saver's model in the form that journals contain. It is encoded once for all saves.
package final class JournalModel: Sendable {
    package let layouts: RowLayouts
    private let encoded = Mutex<SaveFileBody?>(nil)

    /// - Parameter layouts: the layouts that the rows of the saves are packed with.
    package init(_ layouts: RowLayouts) { self.layouts = layouts }

    /// The body of a pointer file.
    var body: SaveFileBody {
        encoded.withLock { encoded in
            if let encoded { return encoded }
            let new = SaveFileBody(layouts)
            encoded = new
            return new
        }
    }
}
