import CairnStore

/// Identifies a state of one store, as ``PersistentStoreCoordinator/remoteChangeNotification`` reports
/// it.
///
/// Tokens of one store can be compared for as long as the store stays added: keep the newest one that
/// was handled, and leave out reports that are not newer. They say nothing to another process or after the
/// store was added again, and are not to be stored. No history of saves is kept, so none can be
/// fetched with a token.
public struct PersistentHistoryToken: Sendable, Hashable {
    /// Stands for one time that a store was added.
    final class Opening: Sendable {}

    /// The store's identifier (`NSStoreUUID`).
    public let storeIdentifier: String
    private let opening: Opening
    private let generation: StoreGeneration

    init(storeIdentifier: String, opening: Opening, generation: StoreGeneration) {
        self.storeIdentifier = storeIdentifier
        self.opening = opening
        self.generation = generation
    }

    /// Returns whether this is the later one of two states of the same store.
    ///
    /// Returns `false` for equal states, and for tokens that cannot be compared: those of different
    /// stores, and of a store that was removed and added again between them.
    public func isNewer(than other: Self) -> Bool {
        opening === other.opening && generation > other.generation
    }

    /// Whether two tokens are of the same state of one store, since it was added.
    public static func == (one: Self, other: Self) -> Bool {
        one.opening === other.opening && one.generation == other.generation
    }

    /// Feeds what `==` compares to the hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(opening))
        hasher.combine(generation)
    }
}
