import CairnModel
import CairnRows
import CairnStore

/// Reads rows of one state from the map, checks them and copies them.
struct RowReader {
    let tables: StoreTables
    let transaction: LMDBTransaction

    /// Adds a stored row to the writer's batch.
    ///
    /// - Throws: `.corrupt` if the bytes are not the row that was written under this key.
    @inline(__always) func append(
        _ value: UnsafeRawBufferPointer, key: Int64, root: EntityNumber,
        to writer: inout RowWriter
    ) throws(StoreError) {
        writer.append(copyOf: try row(in: value, key: key, root: root, &writer))
    }

    /// Returns a pointer to a stored row in the map. If the store and the model number entities
    /// differently, the pointer leads to a renumbered copy in the writer's memory.
    ///
    /// - Throws: `.corrupt` if the bytes are not the row that was written under this key.
    @inline(__always) func row(
        in value: UnsafeRawBufferPointer, key: Int64, root: EntityNumber, _ writer: inout RowWriter
    ) throws(StoreError) -> RowPointer {
        try checkKey(key, root)
        guard var bytes = Sealed.open(value) else {
            throw corrupt(key, root, "the checksum of the row is wrong")
        }
        do {
            if let numbers = tables.modelNumbers {
                bytes = try writer.copyIn(bytes, numberedBy: numbers, checkedBy: tables.layouts)
            } else {
                try tables.layouts.check(bytes)
            }
        } catch {
            throw corrupt(key, root, error.description)
        }
        guard let base = bytes.baseAddress else {
            throw corrupt(key, root, "the row is empty")
        }
        let row = RowPointer(base)
        guard row.key == key, row.rootEntity == root else {
            throw corrupt(key, root, "the row belongs to another object")
        }
        guard row.version > 0 else {
            throw corrupt(key, root, "the row has a version that no save can have given it")
        }
        return row
    }

    /// Rejects keys that no stored object has.
    @inline(__always) private func checkKey(
        _ key: Int64, _ root: EntityNumber
    ) throws(StoreError) {
        guard key > 0 else {
            throw corrupt(key, root, "the row has a key that no save can have given it")
        }
    }

    /// Returns the concrete entity of a stored row, without checking the row's other bytes.
    @inline(__always) func entity(
        of value: UnsafeRawBufferPointer, key: Int64, root: EntityNumber
    ) throws(StoreError) -> EntityNumber {
        try checkKey(key, root)
        guard value.count >= Sealed.sealByteCount + RowLayout.headerByteCount else {
            throw corrupt(key, root, "the row is too short")
        }
        let number = value.loadUnaligned(fromByteOffset: Sealed.sealByteCount + 4, as: UInt16.self)
        let entity = tables.modelNumber(of: StoreEntityNumber(UInt16(littleEndian: number)))
        guard tables.tables(of: entity)?.root == root else {
            throw corrupt(key, root, "the row belongs to an entity that cannot be in this table")
        }
        return entity
    }

    /// Adds the rows of the IDs, in the order of root entity and key. IDs without a row are left
    /// out.
    func append(
        rowsFor ids: [ObjectID], to writer: inout RowWriter
    ) throws(StoreError) {
        let sorted =
            ids.count == 1
            ? ids
            : ids.sorted {
                ($0.rootEntity, $0.key) < ($1.rootEntity, $1.key)
            }
        var start = 0
        while start < sorted.count {
            let root = sorted[start].rootEntity
            var end = start
            while end < sorted.count, sorted[end].rootEntity == root { end += 1 }
            if let table = tables.tables(of: root) {
                try append(sorted[start..<end], root, in: table.rows, to: &writer)
            }
            start = end
        }
    }

    /// Adds the row of one ID, without a cursor.
    func append(rowFor id: ObjectID, to writer: inout RowWriter) throws(StoreError) {
        guard id.key > 0, let rows = tables.tables(of: id.rootEntity)?.rows,
            let value = try transaction.get(id.key, in: rows)
        else { return }
        try append(value, key: id.key, root: id.rootEntity, to: &writer)
    }

    private func append(
        _ ids: ArraySlice<ObjectID>, _ root: EntityNumber, in table: LMDBTable,
        to writer: inout RowWriter
    ) throws(StoreError) {
        var cursor = try transaction.cursor(on: table)
        var last: Int64 = 0
        var found: Int64?
        for id in ids where id.key > last {
            last = id.key
            guard let value = try cursor.get(id.key, after: found) else {
                found = nil
                continue
            }
            found = id.key
            try append(value, key: id.key, root: root, to: &writer)
        }
    }

    /// Returns the error for a damaged row.
    func corrupt(_ key: Int64, _ root: EntityNumber, _ detail: String) -> StoreError {
        let name = tables.tables(of: root)?.name ?? "\(root.rawValue)"
        return .corrupt(
            transaction.location, location: "the row of \(name) with key \(key)", detail: detail)
    }
}
