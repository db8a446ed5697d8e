import CairnModel
import CairnStore
import CairnThreads

/// The connection that saves, and what its triggers report.
struct SQLiteWriter: @unchecked Sendable {
    // Unchecked: only the save that holds the writer lock has it; the store hands it over under
    // a mutex.
    let connection: SQLiteConnection
    let computedRows: ComputedRows
}
