import CairnStore

/// Identifies a state of one store, as reported by
/// ``PersistentStoreCoordinator/remoteChangeNotification``.
///
/// Tokens of one store can be compared for as long as the store stays added. Keep the newest token that
/// was handled, and ignore notifications whose token is not newer. A token has no meaning in another
/// process or after the store was added again, so it should not be stored. Cairn keeps no history of
/// saves, so a token cannot be used to fetch history.
public struct PersistentHistoryToken: Sendable, Hashable {
    /// Identifies one period in which a store was added to its coordinator.
    final class Opening: Sendable {}

    /// The store's identifier (`NSStoreUUID`).
    package let storeIdentifier: String
    private let opening: Opening
    private let generation: StoreGeneration

    init(storeIdentifier: String, opening: Opening, generation: StoreGeneration) {
        self.storeIdentifier = storeIdentifier
        self.opening = opening
        self.generation = generation
    }

    /// Returns whether this token's state is later than another one of the same store.
    ///
    /// Returns `false` for equal states, and for tokens that cannot be compared: tokens of different
    /// stores, and tokens of a store that was removed and added again between them.
    package func isNewer(than other: Self) -> Bool {
        opening === other.opening && generation > other.generation
    }

    /// Returns whether two tokens identify the same state of a store, within one period in which it was
    /// added.
    public static func == (one: Self, other: Self) -> Bool {
        one.opening === other.opening && one.generation == other.generation
    }

    /// Hashes the state that the token identifies.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(opening))
        hasher.combine(generation)
    }
}
