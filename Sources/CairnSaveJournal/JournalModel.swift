import CairnStore
import Synchronization

/// The saver's model as its journals hold it, which is encoded once for all saves.
package final class JournalModel: Sendable {
    package let layouts: RowLayouts
    private let encoded = Mutex<SaveFileBody?>(nil)

    /// - Parameter layouts: those by which the rows of the saves are packed.
    package init(_ layouts: RowLayouts) { self.layouts = layouts }

    /// The body of a pointer.
    var body: SaveFileBody {
        encoded.withLock { encoded in
            if let encoded { return encoded }
            let new = SaveFileBody(layouts)
            encoded = new
            return new
        }
    }
}
