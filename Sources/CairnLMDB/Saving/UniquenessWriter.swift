import CairnModel
import CairnStore

/// Keeps the tables of unique values, and finds the values that occur twice.
struct UniquenessWriter {
    private let transaction: LMDBTransaction
    private let tables: StoreTables
    private let store: StoreNumber

    init(_ transaction: LMDBTransaction, tables: StoreTables, store: StoreNumber) {
        self.transaction = transaction
        self.tables = tables
        self.store = store
    }

    /// Writes the values of changed rows, then checks those: so values may be swapped.
    ///
    /// - Precondition: the rows themselves are written.
    /// - Throws: `.uniquenessConflicts`, `.corrupt`, `.engineFailure`, also where the map is full
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

    /// 0x01, and the u64 hash of the values, each after its length. `nil` if one value is nil:
    /// then the row clashes with none.
    static func key(of row: Row, _ slots: [RowLayout.Slot]) -> [UInt8]? {
        if slots.contains(where: row.isNull) { return nil }
        var values: [UInt8] = []
        for slot in slots {
            let bytes = row.comparableBytes(slot)
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
            under: tables.constraints, \.properties, of: changes.lazy.compactMap(\.new),
            changed: changed
        ) { (row, constraint) throws(StoreError) in try clashing(with: row, constraint) }
    }

    /// All rows of the new state with the row's values, itself among them, by key.
    private func clashing(
        with row: Row, _ constraint: UniquenessTable
    ) throws(StoreError) -> [Row] {
        guard let slots = constraint.properties.slots(in: row.entity),
            let key = Self.key(of: row, slots)
        else { return [] }
        let reader = IndexReader(tables: tables, transaction: transaction)
        // One entry is the row's own: no value has to be compared.
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
    /// Bytes that are equal where values are: those of the index, or the stored ones.
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
