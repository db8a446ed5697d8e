import CairnCLMDB
import CairnStore

/// A position in a table. Owns LMDB's cursor and closes it.
///
/// Every step is checked: if an entry does not follow the previous one in the order of the table,
/// the file is damaged. Therefore a loop over a table always ends, even if the pages of a damaged
/// file form a cycle.
///
/// A cursor must not leave the body of ``LMDBEnvironment/use(_:)``, because it points into the map.
struct LMDBCursor: ~Copyable {
    private let handle: OpaquePointer
    private let table: LMDBTable
    private let transaction: LMDBTransaction
    /// The entry that the last step led to. `nil` after a write, or after the cursor was moved in
    /// any other way.
    private var current: Entry?

    /// The number of bytes before a value in an integer table: the node's header and its key.
    private static let nodeByteCount = 16

    /// A move of the cursor.
    enum Move {
        case first, last, next
        /// To the first value of the next key, or to the last value of the previous key.
        case nextKey, previousKey
        /// To the first value of the current key.
        case firstValue
        /// To the next value of the current key.
        case nextValue

        fileprivate var operation: MDB_cursor_op {
            switch self {
            case .first: MDB_FIRST
            case .last: MDB_LAST
            case .next: MDB_NEXT
            case .nextKey: MDB_NEXT_NODUP
            case .previousKey: MDB_PREV_NODUP
            case .firstValue: MDB_FIRST_DUP
            case .nextValue: MDB_NEXT_DUP
            }
        }
    }

    /// The key and the value at a position.
    struct Entry {
        let key: UnsafeRawBufferPointer
        let value: UnsafeRawBufferPointer
    }

    init(_ handle: OpaquePointer, on table: LMDBTable, in transaction: LMDBTransaction) {
        self.handle = handle
        self.table = table
        self.transaction = transaction
    }

    deinit { mdb_cursor_close(handle) }

    /// Makes a move and returns the entry at the new position. Returns `nil` if there is no such
    /// entry.
    ///
    /// - Throws: `.corrupt`, including if the entry is on the wrong side of the previous one;
    ///   `.engineFailure`.
    @inline(__always) mutating func go(_ move: Move) throws(StoreError) -> Entry? {
        var key = MDB_val()
        guard var entry = try get(&key, move.operation) else { return nil }
        // LMDB does not return the key together with a key's first value.
        if move == .firstValue, let current {
            entry = Entry(key: current.key, value: entry.value)
        }
        if let current, !isStep(move, from: current, to: entry) { throw outOfOrder() }
        current = entry
        return entry
    }

    @inline(__always) private func isStep(
        _ move: Move, from old: Entry, to new: Entry
    ) -> Bool {
        switch move {
        case .first, .last, .firstValue: true
        case .next, .nextValue: table.form.order(old, new) < 0
        case .nextKey: table.form.orderOfKeys(old.key, new.key) < 0
        case .previousKey: table.form.orderOfKeys(old.key, new.key) > 0
        }
    }

    /// Returns the error for an entry that is on the wrong side of the previous one.
    func outOfOrder() -> StoreError {
        transaction.corrupt(
            table, "an entry does not come after the previous entry in the table's order")
    }

    /// Moves to the next entry without checking the order. The caller must check that the entry
    /// follows the previous one, for which it has a cheaper way, and must otherwise throw
    /// ``outOfOrder()``.
    @inline(__always) mutating func nextUnchecked() throws(StoreError) -> Entry? {
        current = nil
        var key = MDB_val()
        return try get(&key, MDB_NEXT)
    }

    /// Moves to the first key that is not less than the given one.
    ///
    /// - Throws: `.corrupt`, including if LMDB finds a lesser key; `.engineFailure`.
    mutating func seek(_ sought: UnsafeRawBufferPointer) throws(StoreError) -> Entry? {
        var key = MDB_val(sought)
        current = try get(&key, MDB_SET_RANGE)
        if let current, table.form.orderOfKeys(current.key, sought) < 0 { throw outOfOrder() }
        return current
    }

    /// Moves to the first key that is not less than the given one, in an integer table.
    mutating func seek(_ key: Int64) throws(StoreError) -> Entry? {
        var key = key
        return try withUnsafeBytes(of: &key) { bytes throws(StoreError) in try seek(bytes) }
    }

    /// An entry of an integer table.
    typealias IntegerEntry = (key: Int64, value: UnsafeRawBufferPointer)

    /// Moves to the next entry of an integer table without duplicates. The cursor must be at the
    /// entry with the given key.
    ///
    /// Scans use this method. It does the same as ``go(_:)`` with `.next` but takes 79 instructions
    /// less, because it compares only two numbers, and the caller keeps the previous one.
    ///
    /// - Throws: `.corrupt`, including if the next key is not greater than `key`; `.engineFailure`.
    @inline(__always) mutating func next(after key: Int64) throws(StoreError) -> IntegerEntry? {
        current = nil
        var found = MDB_val()
        guard let entry = try get(&found, MDB_NEXT) else { return nil }
        let next = try integer(entry)
        guard UInt64(bitPattern: next.key) > UInt64(bitPattern: key) else { throw outOfOrder() }
        // LMDB fills a page from its end, so the next row is right before this one in memory, and
        // has
        // about the same length. Prefetching it now makes it available when the scan gets there. A
        // scan
        // that waits for each row takes more than twice as long, unless the whole file is in the
        // processor's cache.
        cairn_prefetch_before(next.value.baseAddress, next.value.count + Self.nodeByteCount)
        return next
    }

    /// Returns an entry of an integer table with its key as a number.
    ///
    /// - Throws: `.corrupt` if the key does not have eight bytes.
    @inline(__always) func integer(_ entry: Entry) throws(StoreError) -> IntegerEntry {
        guard entry.key.count == 8 else {
            throw transaction.corrupt(table, "a key has \(entry.key.count) bytes instead of 8")
        }
        return (key: entry.key.loadUnaligned(as: Int64.self), value: entry.value)
    }

    /// Returns the first value of exactly this key, in an integer table. Returns `nil` if the key
    /// does not exist.
    @inline(__always) mutating func get(
        _ key: Int64
    ) throws(StoreError) -> UnsafeRawBufferPointer? {
        current = nil
        var key = key
        var code: Int32 = 0
        var value = MDB_val()
        withUnsafeMutableBytes(of: &key) { bytes in
            var key = MDB_val(mv_size: bytes.count, mv_data: bytes.baseAddress)
            code = mdb_cursor_get(handle, &key, &value, MDB_SET_KEY)
        }
        if code == MDB_NOTFOUND { return nil }
        try transaction.check(code, "get")
        return value.bytes
    }

    /// Returns the value of exactly this key, in an integer table without duplicates. Returns `nil`
    /// if the key does not exist.
    ///
    /// If the key directly follows the last one, this takes a step instead of a search, which needs
    /// a sixth of the instructions.
    ///
    /// - Parameter last: The key that the previous call found. `nil` if it found none, or if the
    ///   cursor was moved since.
    @inline(__always) mutating func get(
        _ key: Int64, after last: Int64?
    ) throws(StoreError) -> UnsafeRawBufferPointer? {
        guard let last, key == last &+ 1 else { return try get(key) }
        guard let entry = try next(after: last), entry.key == key else { return nil }
        return entry.value
    }

    /// Returns whether a key has this value, in a table of sorted duplicates.
    mutating func contains(
        _ value: UnsafeRawBufferPointer, under key: UnsafeRawBufferPointer
    ) throws(StoreError) -> Bool {
        current = nil
        var key = MDB_val(key)
        var value = MDB_val(value)
        let code = mdb_cursor_get(handle, &key, &value, MDB_GET_BOTH)
        if code == MDB_NOTFOUND { return false }
        try transaction.check(code, "get")
        return true
    }

    /// Returns the number of values of the current key, in a table of sorted duplicates.
    func valueCount() throws(StoreError) -> Int {
        var count = 0
        try transaction.check(mdb_cursor_count(handle, &count), "count values")
        return count
    }

    /// Sets the value of a key in an integer table. The body writes the value.
    ///
    /// - Parameters:
    ///   - isLast: Whether the key is greater than all keys in the table.
    ///   - fill: Writes the value into exactly `byteCount` bytes, whose content is undefined
    ///     before.
    /// - Throws: `.engineFailure`, including if the map is full (`isMapFull`).
    @inline(__always) mutating func put(
        byteCount: Int, under key: Int64, isLast: Bool,
        fill: (UnsafeMutableRawBufferPointer) -> Void
    ) throws(StoreError) {
        current = nil
        var key = key
        var value = MDB_val(mv_size: byteCount, mv_data: nil)
        let flags = UInt32(MDB_RESERVE) | (isLast ? UInt32(MDB_APPEND) : 0)
        let code = withUnsafeMutableBytes(of: &key) { bytes in
            var key = MDB_val(mv_size: bytes.count, mv_data: bytes.baseAddress)
            return mdb_cursor_put(handle, &key, &value, flags)
        }
        try transaction.check(code, "put")
        fill(UnsafeMutableRawBufferPointer(start: value.mv_data, count: byteCount))
    }

    /// What the caller knows about the position of a new entry. With this knowledge, LMDB does not
    /// search for the position, and fills pages instead of splitting them in halves. It rejects an
    /// entry that does not belong at that position.
    enum Position {
        case anywhere
        /// After all keys of the table.
        case newLastKey
        /// After all values of its key.
        case newLastValue

        fileprivate var flags: UInt32 {
            switch self {
            case .anywhere: 0
            case .newLastKey: UInt32(MDB_APPEND)
            case .newLastValue: UInt32(MDB_APPENDDUP)
            }
        }
    }

    /// Adds a value to a key. In a table with one value for each key, sets the value.
    ///
    /// - Throws: `.engineFailure`, including if the map is full (`isMapFull`).
    @inline(__always) mutating func put(
        _ value: UnsafeRawBufferPointer, under key: UnsafeRawBufferPointer,
        _ position: Position = .anywhere
    ) throws(StoreError) {
        current = nil
        var key = MDB_val(key)
        var value = MDB_val(value)
        try transaction.check(mdb_cursor_put(handle, &key, &value, position.flags), "put")
    }

    /// Removes the current entry.
    ///
    /// - Throws: `.engineFailure`, including if the map is full (`isMapFull`).
    mutating func deleteCurrent() throws(StoreError) {
        current = nil
        try transaction.check(mdb_cursor_del(handle, 0), "delete")
    }

    @inline(__always) private func get(
        _ key: inout MDB_val, _ operation: MDB_cursor_op
    ) throws(StoreError) -> Entry? {
        var value = MDB_val()
        let code = mdb_cursor_get(handle, &key, &value, operation)
        if code == MDB_NOTFOUND { return nil }
        try transaction.check(code, "move a cursor")
        return Entry(key: key.bytes, value: value.bytes)
    }
}
