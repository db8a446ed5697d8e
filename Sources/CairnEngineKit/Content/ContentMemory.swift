import CairnModel
import CairnRows
import Foundation
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

    /// Adds stored rows.
    ///
    /// - Parameter entities: the entities that the entity numbers in the rows stand for.
    /// - Throws: the damage of the first row that is not valid. No row is added then.
    func append(_ rows: [Data], of entities: StoredEntities) throws(RowDamage) -> [Row] {
        var failure: RowDamage?
        let rows = writer.withLock { writer in
            for row in rows where failure == nil {
                row.withUnsafeBytes { bytes in
                    do throws(RowDamage) {
                        try entities.append(bytes, to: &writer)
                    } catch {
                        failure = error
                    }
                }
            }
            return Array(writer.takeBatch().rows)
        }
        if let failure { throw failure }
        return rows
    }
}
