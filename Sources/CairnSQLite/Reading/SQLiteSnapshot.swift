import CairnModel
import CairnRows
import CairnSQL
import CairnStore
import Foundation

/// One consistent state of a SQLite store: a read transaction on a connection of the pool.
///
/// Calls from several threads take turns using the connection. Cursors take turns batch by batch.
final class SQLiteSnapshot: StoreSnapshot {
    let generation: StoreGeneration
    let schema: FetchSchema
    let reader: SQLiteReader
    let externalData: ExternalDataFolder?

    /// - Parameters:
    ///   - reader: The reader, whose transaction lasts as long as the snapshot.
    ///   - externalData: The folder of large values, or `nil` for a store that is not a file.
    init(_ reader: SQLiteReader, schema: FetchSchema, externalData: ExternalDataFolder?) {
        generation = reader.generation
        self.reader = reader
        self.schema = schema
        self.externalData = externalData
    }

    /// Returns `true` in rollback journal mode, in which a read transaction keeps other connections
    /// from writing. A store that was only ever opened for reading may be in that mode.
    func keepsOthersFromSaving() throws(StoreError) -> Bool {
        try reader.withConnection { connection throws(StoreError) in
            guard connection.takesLocks else { return false }
            return try !connection.hasWriteAheadLog
        }
    }

    func cursor(_ plan: FetchPlan) throws(StoreError) -> any RowCursor {
        let query = FetchQuery(plan, in: schema)
        if let query, !query.findsAllInKeyOrder || query.readsTable {
            return try SQLiteCursor(query, plan, on: self)
        }
        // The other cursors use the connection only later, but a closed store must be reported now.
        try reader.withConnection { _ in }
        return query.map { KeySortingCursor($0, plan, on: self) } ?? BatchCursor { _ in nil }
    }

    func count(_ plan: FetchPlan) throws(StoreError) -> Int? {
        guard let query = FetchQuery(plan, in: schema) else { return 0 }
        guard query.completed.remainingPredicate == nil else { return nil }
        try StoreDeadline.check()
        let matches = try reader.withConnection { connection throws(StoreError) in
            connection.fetchWatch.begin(plan)
            defer { connection.fetchWatch.end() }
            do throws(StoreError) {
                return try connection.integer(query.count)
            } catch {
                throw connection.fetchWatch.error ?? error
            }
        }
        let rest = max(0, Int(matches) - max(0, plan.offset))
        return min(rest, max(0, plan.limit ?? rest))
    }

    func rows(for ids: [ObjectID]) throws(StoreError) -> RowBatch {
        try StoreDeadline.check()
        return try reader.withConnection { connection throws(StoreError) in
            try RowsByKey(schema: schema, connection: connection).rows(for: ids)
        }
    }

    func row(for id: ObjectID) throws(StoreError) -> Row? {
        try StoreDeadline.check()
        return try reader.withConnection { connection throws(StoreError) in
            try RowsByKey(schema: schema, connection: connection).row(for: id)
        }
    }

    func relatedIDs(
        _ relationship: Relationship, of ids: [ObjectID]
    ) throws(StoreError) -> RelatedIDs {
        try StoreDeadline.check()
        return try reader.withConnection { connection throws(StoreError) in
            try MembersByOwner(relationship, schema: schema)
                .relatedIDs(of: ids, connection)
        }
    }

    func externalData(_ reference: ExternalReference) throws(StoreError) -> Data {
        try reader.withConnection { _ in }
        guard let externalData, reference.store == schema.store else {
            throw .externalDataMissing(reference, path: externalData?.url.path ?? "")
        }
        return try externalData.read(reference)
    }

    /// Returns the connection to the pool.
    func end() { reader.end() }
}

extension SQLiteConnection {
    /// Returns a statement with its parameters bound, before its first row.
    ///
    /// - Throws: `.corrupt`, `.busy` or `.engineFailure`.
    func query(_ sql: SQLText) throws(StoreError) -> SQLiteStatement {
        let statement = try statement(sql.text)
        try statement.bind(sql.parameters)
        return statement
    }

    /// Runs a query that returns one integer.
    ///
    /// - Throws: `.corrupt`, `.busy` or `.engineFailure`.
    func integer(_ sql: SQLText) throws(StoreError) -> Int64 {
        let statement = try query(sql)
        defer { statement.reset() }
        return try statement.step() ? statement.int64(at: 0) : 0
    }
}

extension SQLiteSnapshot {
    /// Divides a fetch of a whole table into parts by key ranges. Each part after the first one has
    /// its own connection, with a transaction on the same state.
    ///
    /// - Throws: `.closed`, `.corrupt`, `.busy`, `.deadlineExceeded` or `.engineFailure`.
    func parts(
        of plan: FetchPlan, atMost count: Int, rowsEach: Int
    ) throws(StoreError) -> [FetchPart] {
        guard plan.asksForAll, let query = FetchQuery(plan, in: schema), query.readsTable,
            let keys = try keys(of: query.codec.table, atMost: count, rowsEach: rowsEach)
        else { return [] }
        var snapshots = [self]
        while snapshots.count < keys.count {
            guard let reader = reader.another() else { return [] }
            snapshots.append(SQLiteSnapshot(reader, schema: schema, externalData: externalData))
        }
        return zip(snapshots, keys).map { snapshot, keys in
            FetchPart { () throws(StoreError) in
                try SQLiteCursor(query, plan, keys: keys, on: snapshot)
            }
        }
    }

    /// Returns the key range of each part, or `nil` if there cannot be enough rows for two parts.
    ///
    /// The number of rows is estimated from the keys, so deleted rows are included. Counting the
    /// rows would read the whole table.
    private func keys(
        of table: SQLName, atMost count: Int, rowsEach: Int
    ) throws(StoreError) -> [ClosedRange<Int64>]? {
        try reader.withConnection { connection throws(StoreError) -> [ClosedRange<Int64>]? in
            let last = try connection.integer("SELECT max(Z_PK) FROM \(table)")
            let rowsEach = Int64(max(1, rowsEach))
            // If the highest key shows that there are few rows, the lowest key need not be read.
            guard last / rowsEach > 1 else { return nil }
            let first = try connection.integer("SELECT min(Z_PK) FROM \(table)")
            guard 0 < first, first < last else { return nil }
            let most = min(Int64(count), (last - first + 1) / rowsEach)
            return most > 1 ? (first...last).divided(into: Int(most)) : nil
        }
    }
}
