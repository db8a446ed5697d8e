import CairnModel
import CairnRows
import Synchronization

/// The memory to which the rows of a store's saves are copied. Rows of several saves share a slab.
package final class ContentMemory: Sendable {
    private let writer: Mutex<RowWriter>

    init(store: StoreNumber) { writer = Mutex(RowWriter(store: store)) }

    /// Copies rows to memory that the store owns.
    func copy(_ rows: [Row]) -> RowBatch {
        writer.withLock { writer in
            for row in rows { writer.append(copyOf: row) }
            return writer.takeBatch()
        }
    }
}
