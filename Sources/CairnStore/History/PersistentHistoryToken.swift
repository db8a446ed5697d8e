/// How far a program has read the histories of one or more stores.
///
/// Save the newest token that was handled, for example as JSON, and pass it to
/// `PersistentStoreCoordinator.history(after:limit:fromStores:)` later, in this process or another. A
/// token stays valid if its stores are moved, migrated in place, or added to another coordinator. If a
/// store was restored from a backup or replaced by a copy since, reading with the token throws
/// `.historyUnavailable`.
///
/// The token of a remote change of a store without a history can only be compared with others of the
/// same coordinator.
public struct PersistentHistoryToken: Sendable, Hashable, Codable {
    /// The position in the history of each store, by the identifier of the store.
    package var positions: [String: HistoryPosition]
    /// The states of stores without a history, by the identifier of the store. The mark is that of the
    /// period in which the store was added to its coordinator.
    package var states: [String: HistoryPosition]

    package init(
        _ positions: [String: HistoryPosition] = [:], states: [String: HistoryPosition] = [:]
    ) {
        self.positions = positions
        self.states = states
    }

    /// Whether the token has no position of any store.
    package var isEmpty: Bool { positions.isEmpty && states.isEmpty }

    /// Returns whether this token has a later state of a store than another one. States without a
    /// history can only be compared within one period in which their store was added.
    package func isNewer(than other: Self) -> Bool {
        positions.contains { store, position in
            other.positions[store].map { $0.number < position.number } ?? false
        }
            || states.contains { store, state in
                other.states[store].map { $0.mark == state.mark && $0.number < state.number }
                    ?? false
            }
    }
}
