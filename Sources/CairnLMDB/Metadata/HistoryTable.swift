import CairnEngineKit
import CairnRows
import CairnStore

/// Reads and writes the table with the transactions of the history.
///
/// A transaction has one entry for each ``changesPerEntry`` changes. The key of an entry is the number
/// of the transaction, shifted by ``partBitCount`` bits, plus the number of the entry among those of
/// the transaction. The value is a checksum and the bytes of ``HistoryCodec``.
///
/// It must not leave the body of ``LMDBEnvironment/use(_:)``.
struct HistoryTable {
    private static let changesPerEntry = 2_000
    private static let partBitCount: Int64 = 20
    /// The greatest number of a transaction.
    private static let maxNumber = Int64.max >> partBitCount
    /// The number of entries that are removed in one commit, so that other savers do not wait long.
    private static let entriesRemovedAtOnce = 5_000

    private let table: LMDBTable
    private let transaction: LMDBTransaction
    private let codec: HistoryCodec

    init(_ table: LMDBTable, _ transaction: LMDBTransaction, _ codec: HistoryCodec) {
        self.table = table
        self.transaction = transaction
        self.codec = codec
    }

    /// Returns the position of the newest transaction, or `nil` if there has been none.
    ///
    /// - Throws: `.corrupt` or `.engineFailure`.
    func newest() throws(StoreError) -> HistoryPosition? {
        var cursor = try transaction.cursor(on: table)
        guard let last = try cursor.go(.last) else { return nil }
        return try position(of: try cursor.integer(last))
    }

    /// Adds a transaction.
    ///
    /// - Throws: `.keysExhausted`, `.engineFailure`, including if the map is full (`isMapFull`).
    func append(_ change: PersistentHistoryTransaction) throws(StoreError) {
        guard change.position.number <= Self.maxNumber else {
            throw .keysExhausted(entity: "history")
        }
        try put(change, from: change.position.number << Self.partBitCount)
    }

    /// Adds changes to the newest transaction.
    ///
    /// - Throws: `.corrupt`; `.engineFailure`, including if the map is full (`isMapFull`).
    func add(_ changes: [PersistentHistoryChange]) throws(StoreError) {
        var cursor = try transaction.cursor(on: table)
        guard let last = try cursor.go(.last) else { return }
        let entry = try cursor.integer(last)
        var change = try decode(entry)
        change.changes = changes
        try put(change, from: entry.key &+ 1)
    }

    private func put(
        _ change: PersistentHistoryTransaction, from first: Int64
    ) throws(StoreError) {
        var cursor = try transaction.cursor(on: table)
        var (part, rest) = (change, change.changes[...])
        var key = first
        repeat {
            guard key >> Self.partBitCount == change.position.number else {
                throw .keysExhausted(entity: "history")
            }
            part.changes = Array(rest.prefix(Self.changesPerEntry))
            rest = rest.dropFirst(Self.changesPerEntry)
            let bytes = codec.encode(part)
            try bytes.withRawBytes { content throws(StoreError) in
                try cursor.put(
                    byteCount: content.count + Sealed.sealByteCount, under: key, isLast: true
                ) { Sealed.seal(content, into: $0) }
            }
            key &+= 1
        } while !rest.isEmpty
    }

    /// Returns at most `limit` transactions after a position.
    ///
    /// - Throws: `.historyUnavailable`, `.corrupt` or `.engineFailure`.
    func transactions(
        after position: HistoryPosition?, limit: Int
    ) throws(StoreError) -> [PersistentHistoryTransaction] {
        var cursor = try transaction.cursor(on: table)
        var entry: LMDBCursor.Entry?
        if let position {
            try require(position)
            entry = try cursor.seek((position.number + 1) << Self.partBitCount)
        } else {
            entry = try cursor.go(.first)
        }
        var found: [PersistentHistoryTransaction] = []
        while let current = entry {
            let next = try decode(try cursor.integer(current))
            if next.position == found.last?.position {
                found[found.count - 1].changes += next.changes
            } else if found.count < limit {
                found.append(next)
            } else {
                break
            }
            entry = try cursor.go(.next)
        }
        return found
    }

    /// - Throws: `.historyUnavailable` if the history has no transaction at the position.
    private func require(_ position: HistoryPosition) throws(StoreError) {
        var found: HistoryPosition?
        if (0...Self.maxNumber).contains(position.number) {
            let key = position.number << Self.partBitCount
            found = try transaction.get(key, in: table).map { bytes throws(StoreError) in
                try self.position(of: (key, bytes))
            }
        }
        if let gap = position.gap(found: found, newest: try newest()) {
            throw .historyUnavailable(transaction.location, gap)
        }
    }

    /// Removes the oldest entries before a position, if the history has the position. Returns whether
    /// there are more.
    ///
    /// - Throws: `.corrupt` or `.engineFailure`, including if the map is full (`isMapFull`).
    func removeSome(before position: HistoryPosition) throws(StoreError) -> Bool {
        do {
            try require(position)
        } catch .historyUnavailable {
            return false
        }
        var cursor = try transaction.cursor(on: table)
        for _ in 0..<Self.entriesRemovedAtOnce {
            guard let first = try cursor.go(.first),
                try cursor.integer(first).key < position.number << Self.partBitCount
            else { return false }
            try cursor.deleteCurrent()
        }
        return true
    }

    private func position(
        of entry: LMDBCursor.IntegerEntry
    ) throws(StoreError) -> HistoryPosition {
        guard let content = Sealed.open(entry.value),
            let found = HistoryCodec.position(in: content),
            found.number == entry.key >> Self.partBitCount
        else { throw corrupt(entry.key) }
        return found
    }

    private func decode(
        _ entry: LMDBCursor.IntegerEntry
    ) throws(StoreError) -> PersistentHistoryTransaction {
        guard let content = Sealed.open(entry.value), let found = codec.decode(content),
            found.position.number == entry.key >> Self.partBitCount
        else { throw corrupt(entry.key) }
        return found
    }

    private func corrupt(_ key: Int64) -> StoreError {
        transaction.corrupt(table, "the entry with the key \(key) is damaged")
    }
}
