import CairnStore
import Foundation

/// How far the registered followers of a store's history have read. The store keeps it as a value of its
/// metadata.
struct HistoryFollowers {
    /// The name of the value. If an application sets a value with this name, it is lost.
    static let metadataName = "CairnHistoryFollowers"
    /// The maximum number of transactions that a purge keeps for followers that have not read them.
    private static let mostKept: Int64 = 100_000

    /// The positions by name of the follower.
    var positions: [String: HistoryPosition] = [:]

    /// Reads the value. If it is damaged, there are no followers.
    init(_ metadata: StoreMetadata) {
        guard case .data(let json)? = metadata.values[Self.metadataName] else { return }
        positions = (try? JSONDecoder().decode([String: HistoryPosition].self, from: json)) ?? [:]
    }

    /// The positions as a value of the metadata.
    var value: MetadataValue { .data((try? JSONEncoder().encode(positions)) ?? Data()) }

    /// Returns the position before which a store's history may be purged: the given one, or the earlier one
    /// of a follower.
    ///
    /// - Throws: The errors of `HistoryStore.history(after:limit:)` for other reasons than a lost position.
    func limited(
        _ position: HistoryPosition, in store: any HistoryStore
    ) throws(StoreError) -> HistoryPosition {
        guard !positions.isEmpty, let newest = try store.newestHistoryPosition() else {
            return position
        }
        for follower in positions.values.sorted(by: { $0.number < $1.number })
        where follower.number >= newest.number &- Self.mostKept {
            do {
                _ = try store.history(after: follower, limit: 1)
                return follower.number < position.number ? follower : position
            } catch .historyUnavailable {
                // A position that cannot be read any more keeps nothing.
            }
        }
        return position
    }
}

/// The limits of a store's history that its options set.
struct HistoryLimits: Sendable {
    /// After how many saves of a coordinator the history is purged again.
    static let savesBetweenPurges = 1_000

    /// The age of the oldest transaction, in seconds.
    var age: Double?
    /// The number of transactions.
    var count: Int64?

    /// Returns whether a transaction is within the limits.
    func includes(_ transaction: PersistentHistoryTransaction, newest: HistoryPosition) -> Bool {
        -transaction.timestamp.timeIntervalSinceNow <= age ?? .infinity
            && transaction.position.number > newest.number &- (count ?? .max)
    }
}
