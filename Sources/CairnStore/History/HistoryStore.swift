/// A store that can keep a history of its saves: what each of them changed, when, and by whom.
///
/// A store begins its history when it is opened for writing with the option
/// ``StoreOption/tracksHistory``, or with the first save of such a handle. From then on, each save
/// that changes objects adds one transaction, in the same step as its rows. That includes saves of
/// handles without the option, also if they were opened before the history began. Such a handle may
/// not be able to read the history until it has saved. A save that does not take place adds no
/// transaction.
///
/// Every call of a store that keeps no history throws `.historyUnavailable` with
/// ``HistoryGap/notTracked``.
public protocol HistoryStore: PersistentStore {
    /// Returns the position of the newest transaction, including those of other handles and
    /// processes. Returns `nil` if there has been no transaction.
    ///
    /// - Throws: `.closed`, `.historyUnavailable`; the errors of ``PersistentStore/snapshot()``.
    func newestHistoryPosition() throws(StoreError) -> HistoryPosition?

    /// Returns the transactions after a position, the oldest first, up to a number of transactions. If
    /// `position` is `nil`, the first is the oldest transaction that the history has.
    ///
    /// The changes of a transaction are in the order deletions, updates, insertions. Each object
    /// occurs at most once. A change of an object whose entity is not in the store's model is left
    /// out.
    ///
    /// - Parameters:
    ///   - position: the position of a transaction, or `nil`.
    ///   - limit: the maximum number of transactions, at least 1.
    /// - Throws: `.historyUnavailable` with ``HistoryGap/purged`` if the history does not have all
    ///   transactions after the position any more, and with ``HistoryGap/anotherBranch`` if the
    ///   position is not one of this history; `.closed`; the errors of ``PersistentStore/snapshot()``.
    func history(
        after position: HistoryPosition?, limit: Int
    ) throws(StoreError) -> [PersistentHistoryTransaction]

    /// Removes the transactions before a position. The transaction at the position stays, and the
    /// history can still be read from there. Has no effect if the history has no such position.
    ///
    /// - Throws: `.closed`, `.readOnly`, `.historyUnavailable`; the errors of ``PersistentStore/beginSave()``.
    func purgeHistory(before position: HistoryPosition) throws(StoreError)

    /// Adds transactions of another store after the newest one, as a copy of that store does. They keep
    /// their numbers, times, texts and changes, but the engine may give them other marks.
    ///
    /// - Parameter transactions: the transactions, in order. The IDs of their changes are those of this
    ///   store, and all numbers are greater than the newest one.
    /// - Throws: `.closed`, `.readOnly`, `.historyUnavailable`; the errors of ``PersistentStore/beginSave()``
    ///   and of a commit.
    func addHistory(_ transactions: [PersistentHistoryTransaction]) throws(StoreError)
}

/// Identifies a transaction in the history of one store.
public struct HistoryPosition: Sendable, Hashable, Codable {
    /// The number of the transaction. Later transactions of a store have greater numbers.
    public var number: Int64
    /// A number that distinguishes the transaction from others with the same number, which a copy of
    /// the store may have, or the store itself after it was restored from a backup.
    public var mark: UInt64

    /// Creates a position, as an engine does.
    public init(number: Int64, mark: UInt64) {
        self.number = number
        self.mark = mark
    }
}

/// The reason that a history cannot be read from a position.
public enum HistoryGap: Error, Sendable, Hashable {
    /// The store keeps no history.
    case notTracked
    /// Transactions after the position have been removed.
    case purged
    /// The position belongs to another history: the store was restored from a backup or replaced by
    /// a copy, or its history was lost.
    case anotherBranch
}

extension HistoryPosition {
    /// The greatest number that a store may contain. A greater one is damage, and leaves no room to count on.
    package static let mostNumber: Int64 = 1 << 62

    /// Returns why a history has no transaction at this position.
    ///
    /// - Parameters:
    ///   - found: the position with the same number that the history has, or `nil`.
    ///   - newest: the newest position that the history has.
    package func gap(found: HistoryPosition?, newest: HistoryPosition?) -> HistoryGap? {
        if let found { return found == self ? nil : .anotherBranch }
        return number < newest?.number ?? 0 ? .purged : .anotherBranch
    }
}

extension StoreOption {
    /// Whether the store keeps a history of its saves. A Boolean; for all engines of Cairn. Once a
    /// store keeps a history, it continues to do so, also if it is opened without this option.
    public static let tracksHistory: StoreOption = "tracksHistory"
}

extension StoreOptions {
    /// Returns whether the options ask for a history.
    ///
    /// - Throws: `.invalidOption`.
    public func tracksHistory() throws(StoreError) -> Bool {
        switch self[.tracksHistory] {
        case nil: return false
        case .boolean(let tracks)?: return tracks
        case .integer(let number)? where number == 0 || number == 1: return number == 1
        default: throw .invalidOption(.tracksHistory, detail: "its value must be true or false")
        }
    }
}
