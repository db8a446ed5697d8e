import CairnModel
import CairnRows
import CairnStore
import Foundation

/// The statements that write a request. Rows are written with one statement for thousands of them.
struct RequestWriting {
    /// Arrays of more bytes are divided, because a message has at most 1 GB.
    private static let mostBytes = 16 << 20
    private static let mostRows = 10_000

    /// Reads the result of a statement.
    typealias Reader = (PostgresResult) throws(StoreError) -> Void

    private let request: SaveRequest
    private let schema: StoreSchema
    private(set) var statements: [PostgresStatement] = []
    /// For each statement, the number of rows that it must change, or `nil` for any number.
    private var expected: [Int?] = []
    private var readers: [Reader?] = []

    init(_ request: SaveRequest, _ schema: StoreSchema) {
        self.request = request
        self.schema = schema
    }

    mutating func add(
        _ statement: PostgresStatement?, changing count: Int? = nil, _ reader: Reader? = nil
    ) {
        guard let statement else { return }
        statements.append(statement)
        expected.append(count)
        readers.append(reader)
    }

    mutating func add(_ others: [PostgresStatement]) { for other in others { add(other) } }

    /// Reads the results of the statements, and forgets these. Returns whether every statement changed as many rows as
    /// it must; if not, nothing is read.
    mutating func read(_ results: [PostgresResult]) throws(StoreError) -> Bool {
        defer { (statements, expected, readers) = ([], [], []) }
        for (result, count) in zip(results, expected) {
            if let count, result.changedCount != count { return false }
        }
        for (result, reader) in zip(results, readers) { try reader?(result) }
        return true
    }

    /// Removes the deleted rows with their pairs, then writes the others, each table in turn.
    ///
    /// - Throws: `.unsupportedValue`, `.cancelled`.
    mutating func addRows() throws(StoreError) {
        for (root, deletions) in grouped(request.deleted, by: \.id.rootEntity) {
            try request.reporter?.wrote(deletions.count)
            delete(deletions, root)
        }
        for (root, updates) in grouped(request.updated, by: \.row.rootEntity) {
            let changed = updates.reduce(into: [EntityNumber: SlotSet]()) {
                $0[$1.row.entity, default: SlotSet()].formUnion($1.changedSlots)
            }
            try write(
                updates.map(\.row), previous: updates.map(\.previousVersion), root, only: changed)
        }
        for (root, rows) in grouped(Array(request.inserted.rows), by: \.rootEntity) {
            try write(rows, previous: nil, root)
        }
    }

    /// Writes computed rows, whose versions stay the same.
    ///
    /// - Throws: `.unsupportedValue`.
    mutating func addComputed(_ rows: [Row]) throws(StoreError) {
        for (root, rows) in grouped(rows, by: \.rootEntity) {
            try write(rows, previous: rows.map(\.version), root, counts: false)
        }
    }

    /// All saves write the tables in the same order, so that they do not wait for each other.
    private func grouped<Element>(
        _ all: [Element], by root: (Element) -> EntityNumber
    ) -> [(key: EntityNumber, value: [Element])] {
        Dictionary(grouping: all, by: root).sorted { $0.key < $1.key }
    }

    private mutating func delete(_ deletions: [RowDeletion], _ root: EntityNumber) {
        let keys = PostgresParameter.integers(deletions.map(\.id.key))
        guard let table = schema.tables[root] else { return }
        add(
            PostgresStatement(
                """
                DELETE FROM \(table.name) AS t USING unnest($1, $2) AS r(k, v)
                WHERE t._key = r.k AND t._version = r.v
                """, [keys, .integers(deletions.map(\.previousVersion))]),
            changing: deletions.count)
        // After the rows: the deletion of a row waits for saves that add pairs to it.
        for pairs in schema.pairs.values.sorted(by: { $0.name < $1.name }) {
            let owning = pairs.relationship.owning
            if owning.entity.rootEntity.number == root {
                add(PostgresStatement("DELETE FROM \(pairs.name) WHERE owner = ANY($1)", [keys]))
            }
            if owning.destination.rootEntity.number == root {
                add(PostgresStatement("DELETE FROM \(pairs.name) WHERE member = ANY($1)", [keys]))
            }
        }
    }

    // MARK: Rows

    /// Adds statements that insert rows, or replace those with the previous versions.
    ///
    /// - Parameter changed: the slots, by entity, that differ from the previous versions, or `nil` for all.
    private mutating func write(
        _ rows: [Row], previous: [Int64]?, _ root: EntityNumber,
        only changed: [EntityNumber: SlotSet]? = nil, counts: Bool = true
    ) throws(StoreError) {
        guard let table = schema.tables[root] else { return }
        var arrays = RowArrays(table, schema, only: changed)
        var first = 0
        for (index, row) in rows.enumerated() {
            if counts { try request.reporter?.wrote() }
            try arrays.append(row)
            let count = index + 1 - first
            if index == rows.count - 1 || count == Self.mostRows
                || arrays.byteCount > Self.mostBytes
            {
                add(
                    previous.map { arrays.update(previous: $0[first...index]) }
                        ?? arrays.insertion,
                    changing: count)
                arrays = RowArrays(table, schema, only: changed)
                first = index + 1
            }
        }
    }

    // MARK: Pairs

    /// Adds statements for the changes of pairs, in their order. Consecutive ones of a kind are written together.
    mutating func addPairs() {
        var run: [PairChange] = []
        var seen: Set<[Int64]> = []
        for change in request.pairs {
            let isSame =
                run.last.map { $0.kind == change.kind && $0.relationship == change.relationship }
                ?? true
            var isNew = seen.insert([change.owner.key, change.member.key]).inserted
            if change.isSelfInverse, change.owner != change.member {
                isNew = seen.insert([change.member.key, change.owner.key]).inserted && isNew
            }
            if !isSame || !isNew {
                addPairs(run)
                run = []
                seen = [[change.owner.key, change.member.key]]
                if change.isSelfInverse { seen.insert([change.member.key, change.owner.key]) }
            }
            run.append(change)
        }
        addPairs(run)
    }

    private mutating func addPairs(_ run: [PairChange]) {
        guard let first = run.first else { return }
        guard let (pairs, _) = schema.pairs(of: first.relationship) else {
            return order(run, first)
        }
        let both =
            first.isSelfInverse ? run + run.filter { $0.owner != $0.member }.map(\.reversed) : run
        let keys: [PostgresParameter] = [
            .integers(both.map(\.owner.key)), .integers(both.map(\.member.key)),
        ]
        if first.kind == .delete {
            return add(
                PostgresStatement(
                    """
                    DELETE FROM \(pairs.name) AS t USING unnest($1, $2) AS r(o, m)
                    WHERE t.owner = r.o AND t.member = r.m
                    """, keys))
        }
        let orders = [Self.orders(both.map(\.inverseOrderKey)), Self.orders(both.map(\.orderKey))]
        let relationship = pairs.relationship.owning
        guard let owners = schema.tables[relationship.entity.rootEntity.number],
            let members = schema.tables[relationship.destination.rootEntity.number]
        else { return }
        let text =
            first.kind == .reorder
            ? """
            UPDATE \(pairs.name) AS t SET owner_position = COALESCE(r.op, t.owner_position),
                member_position = COALESCE(r.mp, t.member_position)
            FROM unnest($1, $2, $3, $4) AS r(o, m, op, mp) WHERE t.owner = r.o AND t.member = r.m
            """
            : """
            INSERT INTO \(pairs.name) AS t SELECT r.o, r.m, r.op, r.mp
            FROM unnest($1, $2, $3, $4) AS r(o, m, op, mp)
            WHERE EXISTS (SELECT 1 FROM \(owners.name) WHERE _key = r.o)
                AND EXISTS (SELECT 1 FROM \(members.name) WHERE _key = r.m)
            ORDER BY r.o, r.m
            ON CONFLICT (owner, member) DO UPDATE SET
                owner_position = COALESCE(EXCLUDED.owner_position, t.owner_position),
                member_position = COALESCE(EXCLUDED.member_position, t.member_position)
            """
        add(PostgresStatement(text, keys + orders))
    }

    /// Sets the order keys of members whose rows name their owner.
    private mutating func order(_ run: [PairChange], _ first: PairChange) {
        guard let inverse = first.relationship.inverse,
            let table = schema.table(of: inverse.entity),
            let column = table.column(inverse.rowSlot, of: inverse.entity),
            let position = column.position
        else { return }
        let changes = first.kind == .delete ? run : run.filter { $0.orderKey != nil }
        guard !changes.isEmpty else { return }
        add(
            PostgresStatement(
                """
                UPDATE \(table.name) AS t SET \(position) = r.p FROM unnest($1, $2, $3) AS r(o, m, p)
                WHERE t._key = r.m AND t.\(column.name) = r.o
                """,
                [
                    .integers(changes.map(\.owner.key)), .integers(changes.map(\.member.key)),
                    Self.orders(changes.map { first.kind == .delete ? nil : $0.orderKey }),
                ]))
    }

    private static func orders(_ keys: [Int64?]) -> PostgresParameter {
        var array = PostgresArray(of: .int8)
        for key in keys {
            if let key { array.append(key) } else { array.appendNull() }
        }
        return array.parameter
    }

    // MARK: Changes

    /// Returns the objects that the save changes, with those whose derived values were computed.
    func changes(_ computed: [Row]) -> [ChangeLog.Kind: [ObjectID]] {
        let inserted = Set(request.inserted.ids)
        let updated = Set(request.updated.map(\.row.id)).union(computed.map(\.id)).subtracting(
            inserted)
        return [
            .insert: request.inserted.ids, .update: Array(updated),
            .delete: request.deleted.map(\.id),
        ]
    }
}

extension PairChange {
    /// Whether the relationship is its own inverse.
    fileprivate var isSelfInverse: Bool { relationship.inverse == relationship }

    /// The same pair, seen from the member's side.
    fileprivate var reversed: PairChange {
        PairChange(
            kind, relationship, owner: member, member: owner, orderKey: inverseOrderKey,
            inverseOrderKey: orderKey)
    }
}
