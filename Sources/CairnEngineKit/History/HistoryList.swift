import CairnStore

/// The newest transactions of a history, in memory. A value type: its copies share what does not
/// change.
package struct HistoryList: Sendable {
    /// How many changes a list keeps at least. When it has twice as many, it forgets the older half.
    package static let keptChangeCount = 100_000
    private static let chunkLength = 256

    /// The transactions in order, in chunks, so that a copy that grows copies only the last one.
    private var chunks: [[PersistentHistoryTransaction]] = []
    private var changeCount = 0
    private let limit: Int
    /// The position after which the list began, of a transaction that it does not have. `nil` if the
    /// list began with the history, or if transactions have been removed since.
    private var base: HistoryPosition?

    /// Creates a list.
    ///
    /// - Parameters:
    ///   - base: the position of the newest transaction, which the list does not have. `nil` for a
    ///     history that begins.
    ///   - limit: how many changes the list keeps at least.
    package init(after base: HistoryPosition? = nil, limit: Int = keptChangeCount) {
        self.base = base
        self.limit = limit
    }

    /// The position of the newest transaction, or `nil` if there has been none.
    package var newest: HistoryPosition? { chunks.last?.last?.position ?? base }

    /// The newest transaction of the list, or `nil` if the list is empty.
    package var last: PersistentHistoryTransaction? { chunks.last?.last }

    /// The position of the oldest transaction of the list, or `nil` if the list is empty.
    package var oldest: HistoryPosition? { chunks.first?.first?.position }

    /// All transactions of the list.
    package var transactions: [PersistentHistoryTransaction] { chunks.flatMap(\.self) }

    /// Adds a transaction, whose number must be greater than that of the newest one.
    package mutating func append(_ transaction: PersistentHistoryTransaction) {
        if chunks.last?.count ?? Self.chunkLength >= Self.chunkLength { chunks.append([]) }
        chunks[chunks.count - 1].append(transaction)
        changeCount += transaction.changes.count
        if changeCount > 2 * limit { forgetOldest() }
    }

    /// Adds changes to the newest transaction.
    package mutating func add(_ changes: [PersistentHistoryChange]) {
        guard let count = chunks.last?.count, count > 0 else { return }
        chunks[chunks.count - 1][count - 1].changes += changes
        changeCount += changes.count
        if changeCount > 2 * limit { forgetOldest() }
    }

    /// Returns at most `limit` transactions after a position.
    ///
    /// - Throws: the reason why the list has no such position.
    package func transactions(
        after position: HistoryPosition?, limit: Int
    ) throws(HistoryGap) -> [PersistentHistoryTransaction] {
        var index = (chunk: 0, item: 0)
        if let position, position != base {
            index = self.index(of: position.number)
            let found = self[index]?.position
            let isFound = found?.number == position.number
            if let gap = position.gap(found: isFound ? found : nil, newest: newest) { throw gap }
            index.item += 1
        }
        var result: [PersistentHistoryTransaction] = []
        while result.count < limit, index.chunk < chunks.count {
            let rest = chunks[index.chunk].dropFirst(index.item)
            result += rest.prefix(limit - result.count)
            index = (index.chunk + 1, 0)
        }
        return result
    }

    /// Removes the transactions before a position. Has no effect if the list has no such position.
    package mutating func purge(before position: HistoryPosition) {
        let index = index(of: position.number)
        guard self[index]?.position == position else { return }
        if index != (0, 0) { base = nil }
        let kept = chunks[index.chunk].dropFirst(index.item)
        chunks.replaceSubrange(...index.chunk, with: [Array(kept)])
        countChanges()
    }

    private mutating func forgetOldest() {
        base = nil
        while changeCount > limit, chunks.count > 1 {
            changeCount -= chunks[0].reduce(0) { $0 + $1.changes.count }
            chunks.removeFirst()
        }
        // A few large saves may be in one chunk.
        while changeCount > limit, chunks[0].count > 1 {
            changeCount -= chunks[0].removeFirst().changes.count
        }
    }

    private mutating func countChanges() {
        changeCount = chunks.reduce(0) { $0 + $1.reduce(0) { $0 + $1.changes.count } }
    }

    /// Returns the index of the first transaction whose number is not less than the given one.
    private func index(of number: Int64) -> (chunk: Int, item: Int) {
        let chunk = Self.first(of: chunks.count) {
            chunks[$0].last?.position.number ?? 0 >= number
        }
        guard chunk < chunks.count else { return (chunk, 0) }
        return (
            chunk,
            Self.first(of: chunks[chunk].count) {
                chunks[chunk][$0].position.number >= number
            }
        )
    }

    /// Returns the first index below `count` that fulfils the condition, or `count`. If an index
    /// fulfils it, so do all later ones.
    private static func first(of count: Int, where isFulfilled: (Int) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isFulfilled(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    private subscript(index: (chunk: Int, item: Int)) -> PersistentHistoryTransaction? {
        guard index.chunk < chunks.count, index.item < chunks[index.chunk].count else { return nil }
        return chunks[index.chunk][index.item]
    }
}
