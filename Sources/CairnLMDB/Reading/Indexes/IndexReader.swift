import CairnModel
import CairnRows
import CairnStore

/// Collects keys of rows from index tables.
struct IndexReader {
    let tables: StoreTables
    let transaction: LMDBTransaction

    /// Returns the keys of the rows in the ranges, sorted and without duplicates.
    func keys(in ranges: [KeyRange], of table: LMDBTable) throws(StoreError) -> [Int64] {
        var cursor = try transaction.cursor(on: table)
        var keys: [Int64] = []
        for range in ranges {
            var entry = try cursor.seek(range)
            while let current = entry, !range.isBefore(current.key) {
                keys.append(try rowKey(current.value, in: table))
                entry = try cursor.go(.next)
            }
        }
        // The keys under a single value are already sorted.
        return zip(keys, keys.dropFirst()).allSatisfy(<) ? keys : Set(keys).sorted()
    }

    /// Returns the keys of the rows whose to-one relationship leads to one of the owners, sorted
    /// and without duplicates.
    func keys(linkedTo owners: [Int64], in table: LMDBTable) throws(StoreError) -> [Int64] {
        var cursor = try transaction.cursor(on: table)
        let links = LinkReader(transaction: transaction)
        var keys: [Int64] = []
        for owner in owners {
            try links.forEachLink(of: owner, in: table, &cursor) { member, _ in
                keys.append(member)
            }
        }
        return owners.count <= 1 ? keys : keys.sorted()
    }

    /// Returns the number of rows whose to-one relationship leads to one of the owners.
    func count(linkedTo owners: [Int64], in table: LMDBTable) throws(StoreError) -> Int {
        var cursor = try transaction.cursor(on: table)
        let links = LinkReader(transaction: transaction)
        var count = 0
        for owner in owners { count += try links.memberCount(of: owner, in: table, &cursor) }
        return count
    }

    /// Returns the keys of the rows of a path, in its order, sorted and without duplicates if it has none.
    func keys(of path: AccessPlan.Path) throws(StoreError) -> [Int64] {
        switch path {
        case .scan, .orderedIndex: return []
        case .keys(let keys): return keys
        case .index(let table, let ranges): return try keys(in: ranges, of: table)
        case .links(let table, let owners): return try keys(linkedTo: owners, in: table)
        case .union(let paths):
            var all: Set<Int64> = []
            for path in paths { all.formUnion(try keys(of: path)) }
            return all.sorted()
        }
    }

    /// Returns the keys of the rows of a path, in the order of their values. Rows with equal values are
    /// in the order of their keys, and are returned together. Returns at least `count` keys, or all if
    /// there are fewer.
    func orderedKeys(
        of path: AccessPlan.OrderedPath, root: EntityNumber, atLeast count: Int
    ) throws(StoreError) -> [Int64] {
        let (table, range, attribute) = (path.table, path.range, path.attribute)
        let isAscending = path.isAscending
        var cursor = try transaction.cursor(on: table)
        var keys: [Int64] = []
        var entry = isAscending ? try cursor.seek(range) : try cursor.seekLast(range)
        while let current = entry, keys.count < count {
            let isOutside =
                isAscending ? range.isBefore(current.key) : range.isBehind(current.key)
            if isOutside { break }
            let isCut = current.key.count >= IndexKey.byteCountLimit
            var group: [Int64] = []
            var value = try cursor.go(.firstValue) ?? current
            while true {
                group.append(try rowKey(value.value, in: table))
                guard let next = try cursor.go(.nextValue) else { break }
                value = next
            }
            keys +=
                isCut && group.count > 1
                ? try sorted(group, attribute, root: root, isAscending: isAscending) : group
            entry = try cursor.go(isAscending ? .nextKey : .previousKey)
        }
        return keys
    }

    /// Returns the number of rows in the ranges.
    func count(in ranges: [KeyRange], of table: LMDBTable) throws(StoreError) -> Int {
        var cursor = try transaction.cursor(on: table)
        var count = 0
        for range in ranges {
            var entry = try cursor.seek(range)
            while let current = entry, !range.isBefore(current.key) {
                count += try cursor.valueCount()
                entry = try cursor.go(.nextKey)
            }
        }
        return count
    }

    /// Sorts rows that share a truncated key by their complete strings.
    private func sorted(
        _ keys: [Int64], _ attribute: Attribute, root: EntityNumber, isAscending: Bool
    ) throws(StoreError) -> [Int64] {
        guard let rows = tables.tables(of: root)?.rows else { return keys }
        let reader = RowReader(tables: tables, transaction: transaction)
        var cursor = try transaction.cursor(on: rows)
        var writer = RowWriter(store: StoreNumber(rawValue: 0))
        for key in keys {
            guard let value = try cursor.get(key) else { continue }
            try reader.append(value, key: key, root: root, to: &writer)
        }
        let texts = writer.takeBatch().rows.map { row in
            let slot = tables.layouts.layout(of: row.entity)?.slot(named: attribute.name)
            return (text: slot.map(row.unsafeBytes), row: row)
        }
        return texts.sorted { left, right in
            guard let a = left.text, let b = right.text else { return false }
            let order = KeyRange.order(a, b)
            if order == 0 { return left.row.key < right.row.key }
            return isAscending ? order < 0 : order > 0
        }.map(\.row.key)
    }

    @inline(__always) private func rowKey(
        _ value: UnsafeRawBufferPointer, in table: LMDBTable
    ) throws(StoreError) -> Int64 {
        guard value.count == 8 else {
            throw transaction.corrupt(table, "an entry has the wrong length")
        }
        let key = Int64(littleEndian: value.loadUnaligned(as: Int64.self))
        guard key > 0 else {
            throw transaction.corrupt(table, "it contains a key that no row can have")
        }
        return key
    }
}

extension LMDBCursor {
    /// Moves to the first entry of a range, or, if the range is empty, to the first entry after it.
    fileprivate mutating func seek(_ range: KeyRange) throws(StoreError) -> Entry? {
        try range.lower.withRawBytes { key throws(StoreError) in try seek(key) }
    }

    /// Moves to the last key. After MDB_LAST alone, the cursor would find no next value.
    private mutating func seekLast() throws(StoreError) -> Entry? {
        guard let last = try go(.last) else { return nil }
        return try seek(last.key)
    }

    /// Moves to the last key of a range, or, if the range is empty, to the last key before it.
    fileprivate mutating func seekLast(_ range: KeyRange) throws(StoreError) -> Entry? {
        guard let upper = range.upper else { return try seekLast() }
        let bound = Array(upper.prefix(IndexKey.byteCountLimit))
        let behind = try bound.withRawBytes { key throws(StoreError) in try seek(key) }
        guard var current = behind else { return try seekLast() }
        // Step back into the range. A truncated bound may already have led to a key inside it.
        while range.isBefore(current.key) {
            guard let previous = try go(.previousKey) else { return nil }
            current = previous
        }
        return current
    }
}

extension KeyRange {
    /// Returns whether the key precedes the range.
    fileprivate func isBehind(_ key: UnsafeRawBufferPointer) -> Bool {
        lower.withUnsafeBytes { Self.order(key, $0) < 0 }
    }
}
