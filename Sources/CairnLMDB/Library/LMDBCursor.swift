import CairnCLMDB
import CairnStore

/// A position in a table. Owns LMDB's cursor and closes it.
///
/// Every step is checked: an entry that does not come after the one before it, in the order of the
/// table, is damage. So a loop over a table ends, whatever the pages of a damaged file lead to.
///
/// Lives inside one body of ``LMDBEnvironment/use(_:)``, because it points into the map.
struct LMDBCursor: ~Copyable {
    private let handle: OpaquePointer
    private let table: LMDBTable
    private let transaction: LMDBTransaction
    /// What the last step led to. `nil` if something else than a step moved the cursor, or wrote.
    private var current: Entry?

    /// How many bytes LMDB puts before a value in an integer table: the node's header and its key.
    private static let nodeByteCount = 16

    /// Where to go.
    enum Move {
        case first, last, next
        /// The first value of the next key, the last value of the previous key.
        case nextKey, previousKey
        /// The first value of the key that the cursor is at.
        case firstValue
        /// The next value of the key that the cursor is at.
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

    /// Makes the move and returns the entry there. Returns `nil` if there is no entry.
    ///
    /// - Throws: `.corrupt`, also for an entry on the wrong side of the one before it;
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

    /// What to throw for an entry on the wrong side of the one before it.
    func outOfOrder() -> StoreError {
        transaction.corrupt(table, "an entry does not come after the one before it")
    }

    /// Goes to the next entry. The caller checks that it comes after the one before it, because the
    /// caller knows a cheaper way, and throws ``outOfOrder()`` if it does not.
    ///
    /// - Throws: `.corrupt`, `.engineFailure`.
    @inline(__always) mutating func nextToBeCompared() throws(StoreError) -> Entry? {
        current = nil
        var key = MDB_val()
        return try get(&key, MDB_NEXT)
    }

    /// Goes to the first key that is not before the given one.
    ///
    /// - Throws: `.corrupt`, also if LMDB finds a key before it; `.engineFailure`.
    mutating func seek(_ sought: UnsafeRawBufferPointer) throws(StoreError) -> Entry? {
        var key = MDB_val(sought)
        current = try get(&key, MDB_SET_RANGE)
        if let current, table.form.orderOfKeys(current.key, sought) < 0 { throw outOfOrder() }
        return current
    }

    /// Goes to the first key that is not below the given one, in an integer table.
    ///
    /// - Throws: `.corrupt`, `.engineFailure`.
    mutating func seek(_ key: Int64) throws(StoreError) -> Entry? {
        var key = key
        return try withUnsafeBytes(of: &key) { bytes throws(StoreError) in try seek(bytes) }
    }

    /// A row of an integer table.
    struct IntegerEntry {
        let key: Int64
        let value: UnsafeRawBufferPointer
    }

    /// Goes to the entry after the one with the given key, at which the cursor is, in an integer table
    /// without duplicates.
    ///
    /// The step of scans: as ``go(_:)`` with `.next`, but 79 instructions cheaper, because it looks at
    /// two numbers only and the caller keeps the one before.
    ///
    /// - Throws: `.corrupt`, also for a key that is not above `key`; `.engineFailure`.
    @inline(__always) mutating func next(after key: Int64) throws(StoreError) -> IntegerEntry? {
        current = nil
        var found = MDB_val()
        guard let entry = try get(&found, MDB_NEXT) else { return nil }
        let next = try integer(entry)
        guard UInt64(bitPattern: next.key) > UInt64(bitPattern: key) else { throw outOfOrder() }
        // LMDB fills a page from its end, so the row after this one stands before it, and is about as
        // long. Asked for now, it is there when the scan gets to it: a scan that waits for each row
        // takes more than twice as long, unless the whole file is in the processor's cache.
        cairn_prefetch_before(next.value.baseAddress, next.value.count + Self.nodeByteCount)
        return next
    }

    /// The same entry of an integer table, with its key as a number.
    ///
    /// - Throws: `.corrupt` for a key that does not have eight bytes.
    @inline(__always) func integer(_ entry: Entry) throws(StoreError) -> IntegerEntry {
        guard entry.key.count == 8 else {
            throw transaction.corrupt(table, "a key has \(entry.key.count) bytes instead of 8")
        }
        return IntegerEntry(key: entry.key.loadUnaligned(as: Int64.self), value: entry.value)
    }

    /// Returns the value under exactly this key of an integer table, its first one.
    ///
    /// - Throws: `.corrupt`, `.engineFailure`.
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

    /// Returns the value under exactly this key of an integer table without duplicates.
    ///
    /// A key right after the last one takes a step, which is a sixth of the instructions of a search.
    ///
    /// - Parameter last: the key that the call before this one found. `nil` if that found none, or if the
    ///   cursor was moved since.
    /// - Throws: `.corrupt`, `.engineFailure`.
    @inline(__always) mutating func get(
        _ key: Int64, after last: Int64?
    ) throws(StoreError) -> UnsafeRawBufferPointer? {
        guard let last, key == last &+ 1 else { return try get(key) }
        guard let entry = try next(after: last), entry.key == key else { return nil }
        return entry.value
    }

    /// Whether a key has this value, in a table of sorted duplicates.
    ///
    /// - Throws: `.corrupt`, `.engineFailure`.
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

    /// How many values the key has that the cursor is at, in a table of sorted duplicates.
    ///
    /// - Throws: `.corrupt`, `.engineFailure`.
    func valueCount() throws(StoreError) -> Int {
        var count = 0
        try transaction.check(mdb_cursor_count(handle, &count), "count values")
        return count
    }

    /// Sets the bytes under a key of an integer table by letting the body fill them in.
    ///
    /// - Parameters:
    ///   - isLast: whether the key is above all that the table has.
    ///   - fill: gets exactly `byteCount` bytes, whose content is undefined.
    /// - Throws: `.engineFailure`, also if the map is full (`isMapFull`).
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

    /// What the caller knows of the position of a new entry. With this, LMDB does not search for the
    /// position, and fills pages instead of splitting them in halves. It refuses an entry that does
    /// not belong there.
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

    /// Adds a value to a key. Sets the key's value in a table whose keys have one value each.
    ///
    /// - Throws: `.engineFailure`, also if the map is full (`isMapFull`).
    @inline(__always) mutating func put(
        _ value: UnsafeRawBufferPointer, under key: UnsafeRawBufferPointer,
        _ position: Position = .anywhere
    ) throws(StoreError) {
        current = nil
        var key = MDB_val(key)
        var value = MDB_val(value)
        try transaction.check(mdb_cursor_put(handle, &key, &value, position.flags), "put")
    }

    /// Removes what the cursor is at.
    ///
    /// - Throws: `.engineFailure`, also if the map is full (`isMapFull`).
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
