import CairnModel
import CairnRows
import CairnStore

/// Reserves keys. Each statement takes effect at once and for good.
struct KeyReservation {
    private let counts: [(root: EntityNumber, count: Int64)]
    private let store: PostgreSQLStore
    let statements: [PostgresStatement]

    /// - Throws: `.unsupported` for an entity that the store does not hold.
    init(_ counts: [EntityNumber: Int], _ store: PostgreSQLStore) throws(StoreError) {
        self.store = store
        var wanted: [(EntityNumber, Int64)] = []
        var statements: [PostgresStatement] = []
        for (root, count) in counts.sorted(by: { $0.key < $1.key }) where count > 0 {
            try store.held.require(root)
            guard let number = store.schema.number(of: root) else {
                throw .unsupported(
                    store.request.location,
                    feature: "no table for objects of \(store.schema.name(of: root))",
                    advice: HeldEntities.advice(isListed: false))
            }
            wanted.append((root, Int64(count)))
            // The last key is never given out, so that the next one is always a number.
            statements.append(
                PostgresStatement(
                    """
                    UPDATE \(store.schema.prefix)cairn_entities SET next_key = next_key + $2
                    WHERE number = $1 AND next_key <= 9223372036854775807 - $2 RETURNING next_key
                    """, [.integer16(number), .integer(Int64(count))], endsUnit: true))
        }
        self.counts = wanted
        self.statements = statements
    }

    /// Returns the keys that the statements reserved.
    ///
    /// - Throws: `.keysExhausted`.
    func keys(_ results: [PostgresResult]) throws(StoreError) -> [EntityNumber: Range<Int64>] {
        var keys: [EntityNumber: Range<Int64>] = [:]
        for ((root, count), result) in zip(counts, results) {
            guard let next = result.integer(0, 0, as: Int64.self), next > count else {
                throw .keysExhausted(entity: store.schema.name(of: root))
            }
            keys[root] = (next - count)..<next
        }
        store.note(keys)
        return keys
    }

    /// Regards the keys of rows that a copy brings along as reserved. Asks the server only for keys that this process
    /// has not reserved.
    static func noteKeys(of rows: RowBatch, _ store: PostgreSQLStore) throws(StoreError) {
        var greatest: [EntityNumber: Int64] = [:]
        for row in rows.rows {
            greatest[row.rootEntity] = max(greatest[row.rootEntity] ?? 0, row.key)
        }
        let statements = greatest.compactMap { root, key -> PostgresStatement? in
            guard let number = store.schema.number(of: root) else { return nil }
            return PostgresStatement(
                """
                UPDATE \(store.schema.prefix)cairn_entities SET next_key = $2 WHERE number = $1 AND next_key < $2
                """, [.integer16(number), .integer(key == .max ? .max : key + 1)], endsUnit: true)
        }
        guard !statements.isEmpty, !store.hasReserved(greatest) else { return }
        _ = try store.pool.run(statements, for: "reserve keys")
    }
}
