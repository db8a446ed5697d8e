import CairnModel
import CairnStore
import Synchronization

/// Tells the row cache what others have saved, from the store's history.
///
/// Remembers a position that is not after the state that the cache shows. The changes after it include all
/// that happened since. They may include more, such as saves of this coordinator, whose rows are then read
/// again.
final class ChangesFromHistory: Sendable {
    /// With more transactions than this, the cache is emptied instead.
    private static let mostTransactions = 200
    /// After how many changes by this coordinator a later position is remembered.
    private static let changesBetweenPositions = 50

    private typealias Start = (generation: StoreGeneration, position: HistoryPosition?)

    private let store: any HistoryStore
    /// A state, and a position that is not after it. `nil` if none is known.
    private let start: Mutex<Start?>
    private let changeCount = Atomic(0)

    /// Returns `nil` if the store keeps no history.
    init?(_ store: any PersistentStore) {
        guard let store = store as? any HistoryStore, let start = Self.newestStart(of: store) else {
            return nil
        }
        self.store = store
        self.start = Mutex(start)
    }

    /// Reads the position before the generation, so that it is not after that state.
    private static func newestStart(of store: any HistoryStore) -> Start? {
        do {
            let position = try store.newestHistoryPosition()
            return (try store.newestGeneration(), position)
        } catch {
            return nil
        }
    }

    /// Returns objects among which are all that changed between a state and the newest one. Returns `nil`
    /// if the history does not say.
    ///
    /// - Parameter known: The earlier state.
    func ids(changedSince known: StoreGeneration) -> [ObjectID]? {
        guard let start = start.withLock({ $0 }), start.generation <= known else {
            advance()
            return nil
        }
        defer { advance() }
        let found = try? store.history(
            after: start.position, limit: Self.mostTransactions + 1)
        // A save without a transaction is that of a program that does not record its changes, for example
        // one that uses SQLite directly.
        guard let found, (1...Self.mostTransactions).contains(found.count) else { return nil }
        return Array(Set(found.lazy.flatMap(\.changes).map(\.changedObjectID)))
    }

    /// Counts the changes of a save by this coordinator.
    func noteSave(of objectCount: Int) {
        let (before, now) = changeCount.add(objectCount, ordering: .relaxed)
        if before / Self.changesBetweenPositions != now / Self.changesBetweenPositions { advance() }
    }

    private func advance() {
        let newest = Self.newestStart(of: store)
        start.withLock { $0 = newest }
    }
}
