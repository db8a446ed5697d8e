import CairnStore
import Foundation

/// The lock of the row `cairn_state`, which saves take in turn, and what the row says then.
struct SaveLock {
    let schema: StoreSchema
    let timeout: Duration

    /// Begins a transaction and takes the lock. Commits wait for the disk, whatever the server's default says.
    var statements: [PostgresStatement] {
        let wait = min(timeout, StoreDeadline.remaining ?? timeout)
        // 0 would mean no limit.
        let milliseconds = max(1, min(wait.milliseconds, Int(Int32.max)))
        return [
            "BEGIN ISOLATION LEVEL READ COMMITTED",
            PostgresStatement("SET LOCAL lock_timeout = \(milliseconds)"),
            """
            SELECT set_config('synchronous_commit', 'on', true)
            WHERE current_setting('synchronous_commit') = 'off'
            """,
            PostgresStatement(
                """
                SELECT generation, named_saves, greatest_forgotten FROM \(schema.prefix)cairn_state FOR UPDATE
                """),
        ]
    }

    /// Reads the results of ``statements``.
    ///
    /// - Throws: `.corrupt`.
    func state(
        _ results: [PostgresResult]
    ) throws(StoreError) -> (generation: StoreGeneration, names: SaveNames.State) {
        let generation = try PostgreSQLSnapshot.generation(results[3], schema)
        let forgotten = results[3].isNull(0, 2) ? nil : SaveID(bytes: Array(results[3].bytes(0, 2)))
        guard let count = results[3].integer(0, 1, as: Int64.self),
            (0...StoreSchema.mostNumber).contains(count)
        else {
            throw schema.corrupt("cairn_state", "it has no number of named saves")
        }
        return (generation, SaveNames.State(count: count, greatestForgotten: forgotten))
    }
}
