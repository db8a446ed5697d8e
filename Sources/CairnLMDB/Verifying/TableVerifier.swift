import CairnModel
import CairnRows
import CairnStore

/// Compares a store's indexes, links, pairs and unique values with its rows, in one state.
///
/// Every row determines which entries must exist. A table with missing or additional entries is
/// then read entry by entry.
struct TableVerifier {
    let tables: StoreTables
    let transaction: LMDBTransaction
    private(set) var found: [StoreDisagreement] = []
    /// The number of entries that the rows require, by table.
    private var wantedCounts: [LMDBTable: Int] = [:]
    /// The tables in which an entry of a row is missing.
    private var incomplete: Set<LMDBTable> = []

    /// The key tables by entity number; number 1 is at index 0.
    private let keyTables: [[KeyedTable]]

    private var model: ManagedObjectModel { tables.layouts.model }

    init(tables: StoreTables, transaction: LMDBTransaction) {
        self.tables = tables
        self.transaction = transaction
        keyTables = tables.layouts.model.entities.map { entity in
            tables.tables(of: entity.number)?.keyTables ?? []
        }
    }

    /// Reads all tables. Rows are read once, and again if one of their entries is in doubt.
    mutating func verify() throws(StoreError) -> [StoreDisagreement] {
        let roots = model.entities.filter { $0.superentity == nil }
        for root in roots { try checkRows(of: root) }
        for root in roots { try checkEntries(of: root) }
        for case .relationship(let relationship) in model.entities.flatMap(\.ownProperties) {
            guard case .pairs(let pairs, true)? = tables.memberTables(of: relationship)
            else { continue }
            try checkPairs(pairs, of: relationship)
        }
        return found
    }

    // MARK: Rows

    /// Checks the entries that each row requires.
    private mutating func checkRows(of root: Entity) throws(StoreError) {
        guard let table = tables.tables(of: root.number)?.rows else { return }
        let reader = RowReader(tables: tables, transaction: transaction)
        var writer = RowWriter(store: StoreNumber(rawValue: 0))
        var cursor = try transaction.cursor(on: table)
        var entry = try cursor.go(.first)
        var lastKey: Int64 = 0
        while let current = entry {
            if current.key.count == 8 {
                lastKey = current.key.loadUnaligned(as: Int64.self)
                do {
                    try reader.append(current.value, key: lastKey, root: root.number, to: &writer)
                } catch {
                    try note(error, in: table)
                }
                for row in writer.takeBatch().rows { try check(row) }
            } else {
                note(table, "a key has the wrong length")
            }
            entry = try cursor.go(.next)
        }
        let record = StoreRecord(transaction: transaction, table: tables.metadata)
        if lastKey < .max, try record.nextKey(of: root.name) <= lastKey {
            note(
                tables.metadata,
                "the next key of \(root.name) is not greater than the keys of its rows")
        }
    }

    private mutating func check(_ row: Row) throws(StoreError) {
        guard let entity = tables.tables(of: row.entity) else { return }
        for entries in keyTables(of: row.entity) {
            guard let key = entries.key(row) else { continue }
            wantedCounts[entries.table, default: 0] += 1
            var cursor = try transaction.cursor(on: entries.table)
            var value = row.key.littleEndian
            let isThere = try key.withRawBytes { key throws(StoreError) in
                try withUnsafeBytes(of: &value) { value throws(StoreError) in
                    try cursor.contains(value, under: key)
                }
            }
            if !isThere {
                incomplete.insert(entries.table)
                note(entries.table, "\(name(row)) has no entry with its value")
            }
        }
        for link in entity.links where !row.isNull(link.slot) {
            wantedCounts[link.table, default: 0] += 1
            let key = LinkKey(row.objectID(link.slot).key, row.key)
            guard let value = try value(of: key, in: link.table) else {
                incomplete.insert(link.table)
                note(link.table, "the link of \(name(row)) is missing")
                continue
            }
            if tables.modelNumber(of: value.entity) != row.entity {
                note(link.table, "the link of \(name(row)) contains another entity")
            }
        }
    }

    // MARK: Indexes and links

    /// Reads those tables of a hierarchy whose entries may differ from the entries that the rows
    /// require.
    private mutating func checkEntries(of root: Entity) throws(StoreError) {
        for table in Set(root.hierarchy.flatMap { keyTables(of: $0.number) }.map(\.table)) {
            if try isInDoubt(table) { try checkKeys(in: table, of: root) }
        }
        let entities = root.hierarchy.compactMap { tables.tables(of: $0.number) }
        for table in Set(entities.flatMap(\.links).map(\.table)) {
            if try isInDoubt(table) { try checkLinks(in: table, of: root) }
        }
    }

    private func isInDoubt(_ table: LMDBTable) throws(StoreError) -> Bool {
        if incomplete.contains(table) { return true }
        return try transaction.count(of: table) != wantedCounts[table, default: 0]
    }

    private mutating func checkKeys(in table: LMDBTable, of root: Entity) throws(StoreError) {
        var cursor = try transaction.cursor(on: table)
        var entry = try cursor.go(.first)
        while let current = entry {
            if current.value.count == 8 {
                let key = Int64(littleEndian: current.value.loadUnaligned(as: Int64.self))
                let row = try row(key, of: root)
                let entries = row.flatMap { row in
                    keyTables(of: row.entity).first { $0.table == table }
                }
                let wanted = row.flatMap { row in entries?.key(row) }
                if row == nil {
                    note(table, "it contains \(root.name) \(key), which does not exist")
                } else if wanted.map({ !current.key.elementsEqual($0) }) ?? true {
                    note(
                        table,
                        "it contains \(root.name) \(key) with a value that the object does not have"
                    )
                }
            } else {
                note(table, "an entry has the wrong length")
            }
            entry = try cursor.go(.next)
        }
    }

    private mutating func checkLinks(in table: LMDBTable, of root: Entity) throws(StoreError) {
        var cursor = try transaction.cursor(on: table)
        var entry = try cursor.go(.first)
        while let current = entry {
            if let link = LinkKey(current.key) {
                let row = try row(link.member, of: root)
                let slot = row.flatMap { tables.tables(of: $0.entity) }?.links
                    .first { $0.table == table }?.slot
                let leads = row.flatMap { row in
                    slot.map { !row.isNull($0) && row.objectID($0).key == link.owner }
                }
                if leads != true {
                    note(
                        table,
                        "it links \(root.name) \(link.member) to key \(link.owner), but the row of that"
                            + " object does not")
                }
            } else {
                note(table, "an entry has the wrong length")
            }
            entry = try cursor.go(.next)
        }
    }

    // MARK: Pairs

    private mutating func checkPairs(
        _ pairs: PairTables, of relationship: Relationship
    ) throws(StoreError) {
        let owners = relationship.entity.rootEntity
        let members = relationship.destination.rootEntity
        try checkPairs(in: pairs.forward, mirroredIn: pairs.backward, owners, members)
        if pairs.forward != pairs.backward {
            try checkPairs(in: pairs.backward, mirroredIn: pairs.forward, members, owners)
        }
    }

    private mutating func checkPairs(
        in table: LMDBTable, mirroredIn mirror: LMDBTable, _ owners: Entity, _ members: Entity
    ) throws(StoreError) {
        var cursor = try transaction.cursor(on: table)
        var entry = try cursor.go(.first)
        while let current = entry {
            if let key = LinkKey(current.key), let value = LinkValue(current.value) {
                let pair = "\(owners.name) \(key.owner) and \(members.name) \(key.member)"
                if try self.value(of: LinkKey(key.member, key.owner), in: mirror) == nil {
                    note(table, "the pair of \(pair) is not in the table \(mirror.name)")
                }
                if try row(key.owner, of: owners) == nil {
                    note(table, "the pair of \(pair) has no owner")
                }
                if let member = try row(key.member, of: members) {
                    if tables.modelNumber(of: value.entity) != member.entity {
                        note(table, "the pair of \(pair) contains another entity")
                    }
                } else {
                    note(table, "the pair of \(pair) has no member")
                }
            } else {
                note(table, "an entry has the wrong length")
            }
            entry = try cursor.go(.next)
        }
    }

    // MARK: Reading

    private func keyTables(of entity: EntityNumber) -> [KeyedTable] {
        let index = Int(entity.rawValue) - 1
        return keyTables.indices.contains(index) ? keyTables[index] : []
    }

    /// Returns a row, or `nil` if it does not exist or is damaged. ``checkRows(of:)`` has already
    /// noted the damage.
    private func row(_ key: Int64, of root: Entity) throws(StoreError) -> Row? {
        guard let table = tables.tables(of: root.number)?.rows,
            let value = try transaction.get(key, in: table)
        else { return nil }
        var writer = RowWriter(store: StoreNumber(rawValue: 0))
        do {
            try RowReader(tables: tables, transaction: transaction)
                .append(value, key: key, root: root.number, to: &writer)
        } catch {
            guard case .corrupt = error else { throw error }
            return nil
        }
        return writer.takeBatch().rows.first { _ in true }
    }

    /// Returns the value of a link, or `nil` if the link does not exist or its value is damaged.
    private func value(of key: LinkKey, in table: LMDBTable) throws(StoreError) -> LinkValue? {
        try key.withBytes { key throws(StoreError) in
            try transaction.get(key, in: table).flatMap { LinkValue($0) }
        }
    }

    private func name(_ row: Row) -> String {
        "\(tables.tables(of: row.entity)?.name ?? "an object") \(row.key)"
    }

    private mutating func note(_ table: LMDBTable, _ detail: String) {
        found.append(StoreDisagreement(location: "the table \(table.name)", detail: detail))
    }

    /// Notes damage to a row. Throws any other error.
    private mutating func note(_ error: StoreError, in table: LMDBTable) throws(StoreError) {
        guard case .corrupt(_, let location, let detail) = error else { throw error }
        note(table, "\(location): \(detail)")
    }
}

/// A table that finds an entity's rows by a key. `key` returns the key of a row, or `nil` if the
/// row is not in the table.
private typealias KeyedTable = (table: LMDBTable, key: (Row) -> [UInt8]?)

extension EntityTables {
    fileprivate var keyTables: [KeyedTable] {
        let byValue = indexes.map { index -> KeyedTable in
            (
                index.table,
                { row in
                    var bytes: [UInt8] = []
                    IndexKey.append(row, index.slot, to: &bytes)
                    return bytes
                }
            )
        }
        let byHash = constraints.map { constraint -> KeyedTable in
            (constraint.table, { UniquenessWriter.key(of: $0, constraint.slots) })
        }
        return byValue + byHash
    }
}
