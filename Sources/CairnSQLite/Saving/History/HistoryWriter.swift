import CairnModel
import CairnStore
import Foundation

/// Records the changes of a save in the persistent history, as Core Data does.
///
/// A save adds one row to `ATRANSACTION`, and one row to `ACHANGE` for each changed object, in the
/// order deletions, updates, insertions. The values of deleted objects are not recorded, so the
/// tombstone columns stay NULL.
struct HistoryWriter {
    let save: SaveContext
    let tables: HistoryTables
    private var keys: Keys
    private var changeMaps: [EntityNumber: ChangeMap] = [:]

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

    /// - Throws: `.corrupt` or `.engineFailure`.
    init(_ save: SaveContext, _ tables: HistoryTables) throws(StoreError) {
        self.save = save
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

    /// Records the request. A request that changes no object is not recorded.
    ///
    /// - Throws: `.unsupported`, `.corrupt` or `.engineFailure`.
    mutating func record(_ request: SaveRequest) throws(StoreError) {
        let touches = relationshipsTouched(by: request)
        guard !request.deleted.isEmpty || !request.updated.isEmpty || !request.inserted.isEmpty
        else { return }
        try recordTransaction(request)
        for deletion in request.deleted { try record(.delete, deletion.id, nil) }
        for update in request.updated {
            let columns = try changeMap(of: update.row.entity)
                .bits(update.changedSlots, touches[update.row.id] ?? [])
            try record(.update, update.row.id, columns)
        }
        for row in request.inserted.rows { try record(.insert, row.id, nil) }
        try raiseKeys()
    }

    private mutating func recordTransaction(_ request: SaveRequest) throws(StoreError) {
        try Self.raise(&keys.transaction, HistoryTables.transaction, in: save)
        let author = try request.author.map { (name) throws(StoreError) in try key(of: name) }
        let context = try request.contextName.map { (name) throws(StoreError) in
            try key(of: name)
        }
        let process = try key(of: ProcessInfo.processInfo.processName)
        let insert = try save.connection.statement(
            """
            INSERT INTO \(HistoryTables.transaction) (Z_PK, Z_ENT, Z_OPT, ZAUTHORTS, \
            ZBUNDLEIDTS, ZCONTEXTNAMETS, ZPROCESSIDTS, ZTIMESTAMP) VALUES (?, ?, NULL, ?, ?, ?, ?, ?)
            """)
        try insert.bind(keys.transaction, at: 1)
        try insert.bind(HistoryTables.EntityID.transaction, at: 2)
        try insert.bind(author, at: 3)
        try insert.bind(process, at: 4)
        try insert.bind(context, at: 5)
        try insert.bind(process, at: 6)
        try insert.bind(Date().timeIntervalSinceReferenceDate, at: 7)
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

    /// Returns the to-many relationships whose pairs or order the request changes, by owner.
    private func relationshipsTouched(by request: SaveRequest) -> [ObjectID: Set<String>] {
        var touched: [ObjectID: Set<String>] = [:]
        for pair in request.pairs {
            touched[pair.owner, default: []].insert(pair.relationship.name)
            if let inverse = pair.relationship.inverse, inverse.isToMany {
                touched[pair.member, default: []].insert(inverse.name)
            }
        }
        return touched
    }

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
