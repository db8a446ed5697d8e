import CairnStore
import Synchronization

/// The states of the store that this handle has seen. The number of a state is the number of saves in it, counted in the
/// rows of `cairn_commits`, of which each save increases one. Which saves these are, only the server's description of
/// the state tells: the transactions that had ended.
final class KnownStates: Sendable {
    private static let most = 512

    private let schema: StoreSchema
    private let descriptions = Mutex<[StoreGeneration: String]>([:])

    init(_ schema: StoreSchema) { self.schema = schema }

    /// The statement that reads the number and the description of the transaction's state.
    var question: PostgresStatement {
        PostgresStatement(
            """
            SELECT sum(count)::int8, pg_current_snapshot()::text, max(tableoid)::int8 FROM \(schema.prefix)cairn_commits
            """, keepsPlan: true)
    }

    /// The number of saves in the state of a statement, for SQL.
    private var count: String {
        "(SELECT sum(count)::int8 FROM \(schema.prefix)cairn_commits)"
    }

    /// The statement that counts a save. It takes a row that no other save has locked, so that saves do not wait for each
    /// other. It returns the number of the saves before it.
    var counting: PostgresStatement {
        PostgresStatement(
            """
            UPDATE \(schema.prefix)cairn_commits SET count = count + 1 WHERE slot = COALESCE(
                (SELECT slot FROM \(schema.prefix)cairn_commits
                 ORDER BY (slot + pg_backend_pid()) % 64 LIMIT 1 FOR UPDATE SKIP LOCKED),
                pg_backend_pid() % 64) RETURNING \(count)
            """, keepsPlan: true)
    }

    /// Reads the answer to ``question``.
    ///
    /// - Throws: `.corrupt`; `.fileReplaced` if another store took the schema's name.
    func read(_ result: PostgresResult) throws(StoreError) -> StoreGeneration {
        if result.rowCount == 1, let identity = result.integer(0, 2, as: Int64.self),
            identity != schema.identity
        {
            throw schema.replaced
        }
        guard result.rowCount == 1, let number = result.integer(0, 0, as: Int64.self),
            (1...StoreSchema.mostNumber).contains(number)
        else { throw schema.corrupt("cairn_commits", "it has no number of saves") }
        let generation = StoreGeneration(UInt64(number))
        descriptions.withLock { known in
            if known.count >= Self.most, known[generation] == nil {
                for old in known.keys.sorted().prefix(Self.most / 2) { known[old] = nil }
            }
            known[generation] = result.text(0, 1)
        }
        return generation
    }

    /// Returns the description of a state, or `nil` if this handle has not seen it, or long ago.
    func description(of generation: StoreGeneration) -> String? {
        descriptions.withLock { $0[generation] }
    }
}
