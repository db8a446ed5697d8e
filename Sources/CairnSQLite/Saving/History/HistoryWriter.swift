import CairnEngineKit
import CairnModel
import CairnRows
import CairnSQL
import CairnStore
import Foundation

/// Records the changes of a save in the persistent history, as Core Data does.
///
/// A save adds one row to `ATRANSACTION`, and one row to `ACHANGE` for each changed object, in the
/// order deletions, updates, insertions. A deletion has the values that the model preserves in the columns
/// `ZTOMBSTONE0`, `ZTOMBSTONE1`, …, in the order of the attributes' names.
struct HistoryWriter {
    let save: SaveContext
    let tables: HistoryTables
    private var keys: Keys
    private var changeMaps: [EntityNumber: ChangeMap] = [:]
    private let tombstones: [ObjectID: [Value]]

    /// The last keys assigned in the three tables.
    private struct Keys {
        var change: Int64
        var transaction: Int64
        var text: Int64
    }

    /// The kinds of changes, as Core Data numbers them.
    private enum ChangeType: Int64 {
        case insert = 0
        case update, delete
    }

    /// - Parameter tombstones: The values of the request's deletions, as ``tombstones(of:_:)`` returned
    ///   them before the rows were deleted.
    /// - Throws: `.corrupt` or `.engineFailure`.
    init(
        _ save: SaveContext, _ tables: HistoryTables, tombstones: [ObjectID: [Value]]
    ) throws(StoreError) {
        self.save = save
        self.tombstones = tombstones
        self.tables = tables
        let given = PrimaryKeyTable(connection: save.connection)
        keys = Keys(
            change: try given.lastKey(
                ofRoot: HistoryTables.EntityID.change, table: HistoryTables.change),
            transaction: try given.lastKey(
                ofRoot: HistoryTables.EntityID.transaction, table: HistoryTables.transaction),
            text: try given.lastKey(
                ofRoot: HistoryTables.EntityID.text, table: HistoryTables.text))
    }

    /// Returns the values of the rows to delete that the model preserves, in the order of the
    /// attributes' names. Must be called before the rows are deleted. Reads no row if the model
    /// preserves none of its values.
    ///
    /// - Throws: `.corrupt` or `.engineFailure`.
    static func tombstones(
        of request: SaveRequest, _ save: SaveContext
    ) throws(StoreError) -> [ObjectID: [Value]] {
        if request.deleted.isEmpty { return [:] }
        let map = save.schema.map
        var recorder = HistoryRecorder(map.layouts)
        let ids = request.deleted.map(\.id).filter { recorder.preservesValues(below: $0) }
        if ids.isEmpty { return [:] }
        return try save.storedRows(ids).compactMapValues { row in
            let values = recorder.tombstone(of: row)
            let names = map.model.entity(numbered: row.entity)?.preservedNames ?? []
            return values.isEmpty ? nil : names.map { values[$0] ?? .null }
        }
    }

    /// Adds the values to the change that was recorded last. If the table has too few columns, the last
    /// values are left out.
    private func addTombstone(_ values: [Value]) throws(StoreError) {
        let columns = tables.tombstoneColumns.prefix(values.count)
        guard !columns.isEmpty else { return }
        let assignments = columns.enumerated().map { "\($1) = ?\($0 + 2)" }
        let update = try save.connection.statement(
            "UPDATE \(HistoryTables.change) SET \(assignments.joined(separator: ", "))"
                + " WHERE Z_PK = ?1")
        try update.bind(keys.change, at: 1)
        for (index, value) in values.prefix(columns.count).enumerated() {
            try value.put(into: ParameterSink(statement: update, index: index + 2))
        }
        try update.run()
    }

    /// Records the request. A request that changes no object is not recorded.
    ///
    /// - Throws: `.unsupported`, `.corrupt` or `.engineFailure`.
    mutating func record(_ request: SaveRequest) throws(StoreError) {
        let touches = request.touchedRelationships
        guard !request.deleted.isEmpty || !request.updated.isEmpty || !request.inserted.isEmpty
        else { return }
        // A later part of a save adds to the transaction of the first part, which is the newest one.
        if request.part?.isFirst ?? true {
            let process = ProcessInfo.processInfo.processName
            try recordTransaction(
                PersistentHistoryTransaction(
                    position: HistoryPosition(number: 0, mark: 0), storeID: "", timestamp: Date(),
                    author: request.author, contextName: request.contextName, processID: process,
                    bundleID: process))
        }
        for deletion in request.deleted {
            try record(.delete, deletion.id, nil)
            if let values = tombstones[deletion.id] { try addTombstone(values) }
        }
        for update in request.updated {
            let columns = try changeMap(of: update.row.entity)
                .bits(update.changedSlots, touches[update.row.id] ?? [])
            try record(.update, update.row.id, columns)
        }
        for row in request.inserted.rows { try record(.insert, row.id, nil) }
        try raiseKeys()
    }

    /// Adds a transaction of another store, with its number.
    ///
    /// - Throws: `.unsupported`, `.corrupt` or `.engineFailure`.
    mutating func add(_ transaction: PersistentHistoryTransaction) throws(StoreError) {
        keys.transaction = max(keys.transaction, transaction.position.number &- 1)
        try recordTransaction(transaction)
        for change in transaction.changes {
            let id = change.changedObjectID
            switch change.changeType {
            case .insert: try record(.insert, id, nil)
            case .update:
                let columns = try changeMap(of: id.entity).bits(change.updatedProperties)
                try record(.update, id, columns)
            case .delete:
                try record(.delete, id, nil)
                let names = save.schema.map.model.entity(numbered: id.entity)?.preservedNames ?? []
                if change.tombstone.isEmpty { continue }
                try addTombstone(names.map { change.tombstone[$0] ?? .null })
            }
        }
        try raiseKeys()
    }

    private mutating func recordTransaction(
        _ transaction: PersistentHistoryTransaction
    ) throws(StoreError) {
        try Self.raise(&keys.transaction, HistoryTables.transaction, in: save)
        let author = try transaction.author.map { (name) throws(StoreError) in try key(of: name) }
        let context = try transaction.contextName.map { (name) throws(StoreError) in
            try key(of: name)
        }
        let process = try key(of: transaction.processID)
        let insert = try save.connection.statement(
            """
            INSERT INTO \(HistoryTables.transaction) (Z_PK, Z_ENT, Z_OPT, ZAUTHORTS, \
            ZBUNDLEIDTS, ZCONTEXTNAMETS, ZPROCESSIDTS, ZTIMESTAMP) VALUES (?, ?, NULL, ?, ?, ?, ?, ?)
            """)
        try insert.bind(keys.transaction, at: 1)
        try insert.bind(HistoryTables.EntityID.transaction, at: 2)
        try insert.bind(author, at: 3)
        try insert.bind(try key(of: transaction.bundleID), at: 4)
        try insert.bind(context, at: 5)
        try insert.bind(process, at: 6)
        try insert.bind(transaction.timestamp.timeIntervalSinceReferenceDate, at: 7)
        try insert.run()
    }

    /// Returns the key of a string. Each string is stored only once.
    private mutating func key(of text: String) throws(StoreError) -> Int64 {
        let select = try save.connection.statement(
            "SELECT Z_PK FROM \(HistoryTables.text) WHERE ZNAME = ?")
        defer { select.reset() }
        try select.bind(text, at: 1)
        if try select.step() {
            return try select.key(at: 0, "table \(HistoryTables.text), column Z_PK")
        }
        try Self.raise(&keys.text, HistoryTables.text, in: save)
        let insert = try save.connection.statement(
            "INSERT INTO \(HistoryTables.text) (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (?, ?, NULL, ?)")
        try insert.bind(keys.text, at: 1)
        try insert.bind(HistoryTables.EntityID.text, at: 2)
        try insert.bind(text, at: 3)
        try insert.run()
        return keys.text
    }

    private mutating func record(
        _ type: ChangeType, _ id: ObjectID, _ columns: Data?
    ) throws(StoreError) {
        try Self.raise(&keys.change, HistoryTables.change, in: save)
        let insert = try save.connection.statement(
            """
            INSERT INTO \(HistoryTables.change) (Z_PK, Z_ENT, Z_OPT, ZCHANGETYPE, ZENTITY, \
            ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS) VALUES (?, ?, NULL, ?, ?, ?, ?, ?)
            """)
        try insert.bind(keys.change, at: 1)
        try insert.bind(HistoryTables.EntityID.change, at: 2)
        try insert.bind(type.rawValue, at: 3)
        try insert.bind(try save.entitySchema(id.entity).storeNumber, at: 4)
        try insert.bind(id.key, at: 5)
        try insert.bind(keys.transaction, at: 6)
        try insert.bind(columns, at: 7)
        try insert.run()
    }

    /// Advances to the next key of a table.
    ///
    /// - Throws: `.corrupt` if the key is the largest possible number, because counting never leads
    ///   there.
    private static func raise(
        _ key: inout Int64, _ table: SQLName, in save: SaveContext
    ) throws(StoreError) {
        let (next, overflows) = key.addingReportingOverflow(1)
        guard !overflows else {
            throw .corrupt(
                save.connection.location, location: "the keys of table \(table)",
                detail: "Z_MAX or Z_PK is the greatest possible number, so there are no keys left")
        }
        key = next
    }

    private func raiseKeys() throws(StoreError) {
        let given = PrimaryKeyTable(connection: save.connection)
        try given.raise(root: HistoryTables.EntityID.change, to: keys.change)
        try given.raise(root: HistoryTables.EntityID.transaction, to: keys.transaction)
        try given.raise(root: HistoryTables.EntityID.text, to: keys.text)
    }

    // MARK: Changed properties

    private mutating func changeMap(of entity: EntityNumber) throws(StoreError) -> ChangeMap {
        if let map = changeMaps[entity] { return map }
        let map = ChangeMap(try save.entitySchema(entity), tables.catalog)
        changeMaps[entity] = map
        return map
    }
}

extension SlotColumn {
    /// All columns of the slot, including the entity and order columns of a to-one relationship.
    var allNames: [SQLName] {
        if case .toOne(let key, let entity, let order) = form {
            [key, entity, order].compactMap(\.self)
        } else {
            valueNames
        }
    }
}

extension Value {
    /// Puts the value of a deleted object's attribute, in the form of the attribute's own column. A composite is packed.
    fileprivate func put(into sink: ParameterSink) throws(StoreError) {
        switch self {
        case .null, .objectID: try sink.putNull()
        case .composite(let elements): try sink.put(CompositeCodec.encode(elements))
        case .boolean(let value): try sink.put(Int64(value ? 1 : 0))
        case .integer(let value): try sink.put(value)
        case .double(let value): try sink.put(value)
        case .float(let value): try sink.put(Double(value))
        case .decimal(let value):
            switch StoredDecimal(value) {
            case .integer(let value): try sink.put(value)
            case .real(let value): try sink.put(value)
            case nil: try sink.putNull()
            }
        case .date(let value): try sink.put(value.timeIntervalSinceReferenceDate)
        case .string(let value): try sink.put(value)
        case .uri(let value): try sink.put(value.absoluteString)
        case .uuid(let value): try sink.put(withUnsafeBytes(of: value.uuid) { Data($0) })
        case .binary(let value), .transformable(let value): try sink.put(value)
        }
    }
}
