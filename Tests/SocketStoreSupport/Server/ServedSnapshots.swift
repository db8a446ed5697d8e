import CairnModel
import CairnRows
import CairnStore

/// The snapshots and cursors that one client holds, by the client's numbers.
struct ServedSnapshots {
    private var snapshots: [UInt64: any StoreSnapshot] = [:]
    private var cursors: [UInt64: ServedCursor] = [:]

    mutating func release(_ numbers: [UInt64]) {
        for number in numbers {
            snapshots.removeValue(forKey: number)?.end()
            cursors[number] = nil
        }
    }

    mutating func add(_ snapshot: any StoreSnapshot, _ number: UInt64) {
        snapshots[number] = snapshot
    }

    /// Returns the snapshot with the given number.
    ///
    /// - Throws: `.engineFailure` if the number was released or never used.
    func snapshot(
        _ number: UInt64, at location: StoreLocation
    ) throws(StoreError) -> any StoreSnapshot {
        if let snapshot = snapshots[number] { return snapshot }
        throw .engineFailure(
            EngineFailure(
                type: SocketStore.type, location: location, operation: "find the snapshot", code: 0,
                message: "the client holds no snapshot of this number"))
    }

    /// Returns the next rows of a cursor. The first call creates the cursor.
    mutating func next(
        of number: UInt64, _ fetch: SocketFetch, in snapshot: any StoreSnapshot, atMost count: Int
    ) throws(StoreError) -> (RowBatch, isLast: Bool) {
        var cursor: ServedCursor
        if let known = cursors[number] {
            cursor = known
        } else {
            cursor = ServedCursor(try snapshot.cursor(fetch.plan))
        }
        let batch = try cursor.next(atMost: count)
        cursors[number] = cursor.isAtEnd ? nil : cursor
        return (batch, cursor.isAtEnd)
    }
}

/// A cursor that reads ahead, so that each batch says whether another follows and the client need not ask.
struct ServedCursor {
    private let base: any RowCursor
    /// Rows that were read but not returned yet.
    private var ahead: RowBatch?
    private(set) var isAtEnd = false

    init(_ base: any RowCursor) { self.base = base }

    /// Returns up to `count` rows, or fewer if they fill one answer. The last batch may be empty.
    mutating func next(atMost count: Int) throws(StoreError) -> RowBatch {
        var batch = RowBatch()
        var byteCount = 0
        while batch.count < count, byteCount < MessageLimits.usualAnswer {
            if ahead == nil { try lookAhead() }
            guard let found = ahead else { break }
            let fitting = found.count(
                atMost: count - batch.count, byteCount: MessageLimits.usualAnswer - byteCount)
            let taken = found.slice(0..<fitting)
            ahead = fitting < found.count ? found.slice(fitting..<found.count) : nil
            byteCount += taken.messageByteCount
            batch.append(taken)
        }
        if ahead == nil { try lookAhead() }
        return batch
    }

    private mutating func lookAhead() throws(StoreError) {
        if isAtEnd { return }
        ahead = try base.next(atMost: MessageLimits.rowsBetweenLooks)
        isAtEnd = ahead == nil
    }
}

extension RowBatch {
    /// The number of bytes that the rows or IDs take in a message.
    var messageByteCount: Int {
        holdsIDsOnly
            ? Self.idByteCount * count : rowIndices.reduce(0) { $0 + self[row: $1].byteCount }
    }

    /// Returns how many of the first rows or IDs fit into the given number of bytes, but at least one.
    fileprivate func count(atMost most: Int, byteCount: Int) -> Int {
        if holdsIDsOnly { return min(count, most, max(1, byteCount / Self.idByteCount)) }
        var (taken, bytesTaken) = (0, 0)
        while taken < min(count, most), bytesTaken < byteCount {
            bytesTaken += self[row: taken].byteCount
            taken += 1
        }
        return taken
    }

    private static var idByteCount: Int { 12 }
}
