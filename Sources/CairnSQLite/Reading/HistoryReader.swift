import CairnModel
import CairnRows
import CairnStore
import Foundation

/// Reads and purges the tables of persistent history, in one state.
///
/// The number of a transaction is its key, and its mark the bits of its time. Core Data stores no
/// other mark, and two branches of a store hardly ever save at exactly the same time.
struct HistoryReader {
    /// The number of transactions that are removed in one commit, so that other savers do not wait
    /// long.
    private static let transactionsRemovedAtOnce = 1_000

    let connection: SQLiteConnection
    let tables: HistoryTables
    let schema: FetchSchema
    let storeID: String

    /// Returns the position of the newest transaction, or `nil` if there has been none.
    ///
    /// - Throws: `.corrupt`, `.busy` or `.engineFailure`.
    func newest() throws(StoreError) -> HistoryPosition? {
        try position("ORDER BY Z_PK DESC LIMIT 1")
    }

    private func position(_ condition: String) throws(StoreError) -> HistoryPosition? {
        let select = try connection.statement(
            "SELECT Z_PK, ZTIMESTAMP FROM \(HistoryTables.transaction) \(condition)")
        defer { select.reset() }
        return try select.step() ? try position(in: select) : nil
    }

    private func position(in select: SQLiteStatement) throws(StoreError) -> HistoryPosition {
        HistoryPosition(
            number: try select.key(at: 0, "table \(HistoryTables.transaction), column Z_PK"),
            mark: select.double(at: 1).bitPattern)
    }

    /// - Throws: `.historyUnavailable` if the history has no transaction at the position.
    private func require(_ position: HistoryPosition) throws(StoreError) {
        let found = try self.position("WHERE Z_PK = \(position.number)")
        if let gap = position.gap(found: found, newest: try newest()) {
            throw .historyUnavailable(connection.location, gap)
        }
    }

    /// Returns at most `limit` transactions after a position.
    ///
    /// - Throws: `.historyUnavailable`, `.corrupt`, `.busy` or `.engineFailure`.
    func transactions(
        after position: HistoryPosition?, limit: Int
    ) throws(StoreError) -> [PersistentHistoryTransaction] {
        if let position { try require(position) }
        let text = HistoryTables.text
        let select = try connection.statement(
            """
            SELECT t.Z_PK, t.ZTIMESTAMP, ifnull(a.ZNAME, t.ZAUTHOR), \
            ifnull(c.ZNAME, t.ZCONTEXTNAME), ifnull(p.ZNAME, t.ZPROCESSID), \
            ifnull(b.ZNAME, t.ZBUNDLEID) FROM \(HistoryTables.transaction) AS t \
            LEFT JOIN \(text) AS a ON a.Z_PK = t.ZAUTHORTS \
            LEFT JOIN \(text) AS c ON c.Z_PK = t.ZCONTEXTNAMETS \
            LEFT JOIN \(text) AS p ON p.Z_PK = t.ZPROCESSIDTS \
            LEFT JOIN \(text) AS b ON b.Z_PK = t.ZBUNDLEIDTS \
            WHERE t.Z_PK > ?1 ORDER BY t.Z_PK LIMIT ?2
            """)
        defer { select.reset() }
        try select.bind(position?.number ?? 0, at: 1)
        try select.bind(Int64(limit), at: 2)
        var changes = ChangeReader(self)
        var found: [PersistentHistoryTransaction] = []
        while try select.step() {
            found.append(
                PersistentHistoryTransaction(
                    position: try self.position(in: select), storeID: storeID,
                    timestamp: Date(timeIntervalSinceReferenceDate: select.double(at: 1)),
                    author: select.text(at: 2), contextName: select.text(at: 3),
                    processID: select.text(at: 4) ?? "", bundleID: select.text(at: 5) ?? ""))
        }
        for index in found.indices {
            found[index].changes = try changes.changes(of: found[index].position.number)
        }
        return found
    }

    /// Removes the oldest transactions before a position, if the history has the position. Returns
    /// whether there may be more.
    ///
    /// Core Data's strings stay, because they are few, and later saves use them again.
    ///
    /// - Throws: `.corrupt` or `.engineFailure`.
    func removeSome(before position: HistoryPosition) throws(StoreError) -> Bool {
        do {
            try require(position)
        } catch .historyUnavailable {
            return false
        }
        let transaction = HistoryTables.transaction
        let select = try connection.statement(
            "SELECT max(Z_PK), count(*) FROM (SELECT Z_PK FROM \(transaction) WHERE Z_PK < ?1"
                + " ORDER BY Z_PK LIMIT \(Self.transactionsRemovedAtOnce))")
        defer { select.reset() }
        try select.bind(position.number, at: 1)
        guard try select.step(), !select.isNull(at: 0) else { return false }
        let (last, count) = (select.int64(at: 0), select.int64(at: 1))
        select.reset()
        for condition in [
            "\(HistoryTables.change) WHERE ZTRANSACTIONID <= ?1", "\(transaction) WHERE Z_PK <= ?1",
        ] {
            let delete = try connection.statement("DELETE FROM \(condition)")
            try delete.bind(last, at: 1)
            try delete.run()
        }
        return count == Int64(Self.transactionsRemovedAtOnce)
    }
}

/// Reads the changes of transactions.
private struct ChangeReader {
    private let history: HistoryReader
    private var maps: [EntityNumber: ChangeMap] = [:]
    private var preserved: [EntityNumber: [Attribute]] = [:]
    /// The properties of the bitmap that was read last. Consecutive updates usually have equal ones.
    private var last: (entity: EntityNumber, bits: Data, names: Set<String>)?

    init(_ history: HistoryReader) { self.history = history }

    /// - Throws: `.corrupt`, `.busy` or `.engineFailure`.
    mutating func changes(
        of transaction: Int64
    ) throws(StoreError) -> [PersistentHistoryChange] {
        let connection = history.connection
        let tombstones = history.tables.tombstoneColumns.map { ", \($0)" }.joined()
        let select = try connection.statement(
            "SELECT ZCHANGETYPE, ZENTITY, ZENTITYPK, ZCOLUMNS\(tombstones)"
                + " FROM \(HistoryTables.change) WHERE ZTRANSACTIONID = ?1 ORDER BY Z_PK")
        defer { select.reset() }
        try select.bind(transaction, at: 1)
        var changes: [PersistentHistoryChange] = []
        while try select.step() {
            guard let type = PersistentHistoryChangeType(rawValue: Int(select.int64(at: 0))) else {
                throw .corrupt(
                    connection.location,
                    location: "table \(HistoryTables.change), column ZCHANGETYPE",
                    detail: "\(select.int64(at: 0)) is not a kind of change")
            }
            // Entities that are not in the model.
            guard let entity = entity(numbered: select.int64(at: 1)) else { continue }
            changes.append(
                PersistentHistoryChange(
                    type,
                    ObjectID(
                        store: history.schema.store, rootEntity: entity.rootEntity.number,
                        entity: entity.number,
                        key: try select.key(
                            at: 2, "table \(HistoryTables.change), column ZENTITYPK")),
                    updatedProperties: type == .update ? names(in: select, entity) : [],
                    tombstone: type == .delete ? tombstone(in: select, entity) : [:]))
        }
        return changes
    }

    private mutating func tombstone(
        in select: SQLiteStatement, _ entity: Entity
    ) -> [String: Value] {
        let attributes = preserved[entity.number] ?? entity.preservedAttributes
        preserved[entity.number] = attributes
        var values: [String: Value] = [:]
        for (index, attribute) in attributes.prefix(select.columnCount - 4).enumerated() {
            values[attribute.name] = select.tombstone(at: index + 4, of: attribute)
        }
        return values
    }

    private func entity(numbered number: Int64) -> Entity? {
        let map = history.schema.map
        return map.entityNumber(forStoreNumber: number).flatMap { map.model.entity(numbered: $0) }
    }

    private mutating func names(in select: SQLiteStatement, _ entity: Entity) -> Set<String> {
        guard let bits = select.data(at: 3) else { return [] }
        if let last, last.entity == entity.number, last.bits == bits { return last.names }
        guard let map = map(of: entity) else { return [] }
        let names = bits.withUnsafeBytes { map.propertyNames(in: $0) }
        last = (entity.number, bits, names)
        return names
    }

    private mutating func map(of entity: Entity) -> ChangeMap? {
        if let known = maps[entity.number] { return known }
        guard let schema = history.schema.map.schema(of: entity) else { return nil }
        let map = ChangeMap(schema, history.tables.catalog)
        maps[entity.number] = map
        return map
    }
}

extension Entity {
    /// The attributes whose values the history preserves, in the order of the tombstone columns.
    fileprivate var preservedAttributes: [Attribute] {
        let byName = attributesByName
        return preservedNames.compactMap { byName[$0] }
    }
}

extension SQLiteStatement {
    /// Returns the value of a tombstone column, which has the form of the attribute's own column.
    /// Returns `nil` for NULL, and for a value that the attribute cannot have.
    fileprivate func tombstone(at column: Int, of attribute: Attribute) -> Value? {
        let (kind, type) = (self.type(at: column), attribute.type)
        switch (kind, type) {
        case (.integer, .integer16), (.integer, .integer32), (.integer, .integer64):
            return .integer(int64(at: column))
        case (.integer, .boolean): return .boolean(int64(at: column) != 0)
        case (.integer, .decimal): return .decimal(Decimal(int64(at: column)))
        case (.real, .decimal): return StoredDecimal.decimal(double(at: column)).map(Value.decimal)
        case (.integer, .double), (.real, .double): return .double(double(at: column))
        case (.integer, .float), (.real, .float): return .float(Float(double(at: column)))
        case (.integer, .date), (.real, .date):
            return .date(Date(timeIntervalSinceReferenceDate: double(at: column)))
        case (.text, .string): return text(at: column).map(Value.string)
        case (.text, .uri): return text(at: column).flatMap { URL(string: $0) }.map(Value.uri)
        case (.blob, .uuid):
            let bytes = bytes(at: column)
            return bytes.count == 16
                ? .uuid(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))) : nil
        case (.blob, .transformable): return data(at: column).map(Value.transformable)
        case (.blob, .binary): return data(at: column).map(Value.binary)
        case (.blob, .composite):
            return data(at: column).flatMap(CompositeCodec.decode).map(Value.composite)
        default: return nil
        }
    }
}
