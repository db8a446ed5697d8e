import CairnModel
import CairnThreads

/// The connection for saves, and the rows that its triggers report.
struct SQLiteWriter: @unchecked Sendable {
    // Unchecked: only the save that holds the writer lock uses it. The store hands it over under a
    // mutex.
    let connection: SQLiteConnection
    let computedRows: ComputedRows
}
