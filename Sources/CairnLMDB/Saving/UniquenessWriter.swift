import CairnModel
import CairnRows
import CairnStore

/// Maintains the tables of unique values, and finds values that occur twice.
struct UniquenessWriter {
    private let transaction: LMDBTransaction
    private let tables: StoreTables
    private let store: StoreNumber

    init(_ transaction: LMDBTransaction, tables: StoreTables, store: StoreNumber) {
        self.transaction = transaction
        self.tables = tables
        self.store = store
    }

    /// Writes the values of the changed rows, then checks them. Because the check comes last, rows
    /// can swap values.
    ///
    /// - Precondition: The rows themselves are already written.
    /// - Throws: `.uniquenessConflicts`, `.corrupt` or `.engineFailure`, including if the map is full
    ///   (`isMapFull`).
    func write(_ changes: [LMDBRequestWriter.Change]) throws(StoreError) {
        guard !tables.constraints.isEmpty else { return }
        var tableChanges = tables.constraints.map { IndexChanges($0.table) }
        for change in changes {
            for constraint in change.tables.constraints {
                tableChanges[constraint.number].replace(
                    rowKey: change.key, old: change.old, new: change.new
                ) { row, bytes in
                    Self.key(of: row, constraint.slots).map { bytes += $0 }
                }
            }
        }
        for changes in tableChanges { try changes.write(transaction) }
        try check(changes)
    }

    /// Returns 0x01 and the hash of the values as u64. Each value is hashed after its length.
    /// Returns `nil` if one of the values is `nil`, because the row then clashes with no other row.
    static func key(of row: Row, _ slots: [RowLayout.Slot]) -> [UInt8]? {
        if slots.contains(where: row.isNull) { return nil }
        return key(ofBytes: slots.map(row.comparableBytes))
    }

    /// Returns the key of rows with certain values, or `nil` if a value has no key of its kind.
    static func key(of values: [Value], _ kinds: [RowLayout.Kind]) -> [UInt8]? {
        var all: [[UInt8]] = []
        for (value, kind) in zip(values, kinds) {
            guard !value.isNull, let key = IndexKey.of(value, as: kind) else { return nil }
            // Texts are hashed without the mark of their keys.
            all.append(kind == .string || kind == .uri ? Array(key.dropFirst()) : key)
        }
        return key(ofBytes: all)
    }

    private static func key(ofBytes all: [[UInt8]]) -> [UInt8] {
        var values: [UInt8] = []
        for bytes in all {
            withUnsafeBytes(of: UInt64(bytes.count).littleEndian) { values += $0 }
            values += bytes
        }
        let hash = values.withUnsafeBytes(Checksum.of).bigEndian
        return [IndexKey.valueMark] + withUnsafeBytes(of: hash) { Array($0) }
    }

    // MARK: Conflicts

    private func check(_ changes: [LMDBRequestWriter.Change]) throws(StoreError) {
        let changed = Set(changes.compactMap(\.new?.id))
        try UniquenessConflict.requireNone(
            under: tables.constraints, { $0.properties }, of: changes.lazy.compactMap(\.new),
            changed: changed
        ) { (row, constraint) throws(StoreError) in try clashing(with: row, constraint) }
    }

    /// Returns all rows of the new state with the same values, including the row itself, in key
    /// order.
    private func clashing(
        with row: Row, _ constraint: StoreTables.Constraint
    ) throws(StoreError) -> [Row] {
        guard let slots = constraint.properties.slots(in: row.entity),
            let key = Self.key(of: row, slots)
        else { return [] }
        let reader = IndexReader(tables: tables, transaction: transaction)
        // If the only entry is the row's own, no values have to be compared.
        let range = KeyRange(only: key)
        guard try reader.count(in: [range], of: constraint.table) > 1 else { return [] }
        let ids = try reader.keys(in: [range], of: constraint.table).map {
            ObjectID(store: store, rootEntity: row.rootEntity, entity: row.rootEntity, key: $0)
        }
        var writer = RowWriter(store: store)
        try RowReader(tables: tables, transaction: transaction).append(rowsFor: ids, to: &writer)
        return writer.takeBatch().rows.filter { other in
            guard let others = constraint.properties.slots(in: other.entity) else { return false }
            return zip(slots, others).allSatisfy {
                row.comparableBytes($0) == other.comparableBytes($1)
            }
        }
    }
}

extension Row {
    /// Returns bytes that are equal if and only if the values are equal: index bytes or stored
    /// bytes.
    fileprivate func comparableBytes(_ slot: RowLayout.Slot) -> [UInt8] {
        switch slot.kind {
        case .string, .uri, .binary, .externalBinary, .transformable, .composite:
            return Array(unsafeBytes(slot))
        case .toOne:
            return withUnsafeBytes(of: objectID(slot).key) { Array($0) }
        default:
            var bytes: [UInt8] = []
            IndexKey.append(self, slot, to: &bytes)
            return bytes
        }
    }
}
