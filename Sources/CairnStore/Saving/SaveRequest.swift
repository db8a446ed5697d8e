import CairnModel

/// Everything that one save changes in one store.
///
/// An object comes once: a second change of it is a row conflict.
///
/// Rows hold attributes and to-one relationships. Pairs of a many-to-many relationship, and the
/// order of any ordered relationship, travel as ``PairChange``s. An object whose pairs or order
/// changed is also among the updates, possibly without a changed slot, so that its version grows.
///
/// ``requireWellFormed(for:at:)`` checks what a request promises about its own rows. Every engine
/// calls it first in `prepare`.
public struct SaveRequest: Sendable {
    /// New rows, with the keys reserved for them and version 1.
    ///
    /// A copy of another store brings its keys and versions along: the store keeps both, and takes
    /// every key up to the greatest for reserved. Keys and versions are greater than 0. A key that has
    /// a row already is a row conflict.
    ///
    /// To-ones may lead to rows that come later, and to objects that have no row: they are kept as they
    /// are. A row of an abstract entity is refused with `.unsupported`.
    public var inserted: RowBatch
    /// Complete new rows of objects that are in the store already.
    public var updated: [RowUpdate]
    /// Objects to remove, each with the version that it was deleted at.
    public var deleted: [RowDeletion]
    /// Changes to pairs and order keys, which rows do not express.
    ///
    /// The store applies them in this order, after all rows: if two changes name the same pair, the
    /// second is applied to the result of the first. A change whose owner or member has no row
    /// after the save has no effect, also later, when an object with that ID is saved.
    public var pairs: [PairChange]
    /// Application values to set in the store's metadata; others stay.
    public var metadata: [String: MetadataValue]
    /// The author of the save, for the store's history. `nil` if the caller names no author.
    public var author: String?
    /// The name of the context that saves, for the store's history. `nil` if it has no name.
    public var contextName: String?
    /// The name that the store records together with the save. `nil` if the save is not recorded.
    ///
    /// The name becomes durable and visible in the same step as the rows of the save, and not at all
    /// if the save does not take place. A save that changes nothing is recorded, too. Names are no
    /// part of metadata, and copies of a store need not have them.
    /// ``PersistentStore/outcome(of:)`` tells whether the save took place.
    public var id: SaveID?
    /// Is told how many objects are written, and may end the save before its commit: `prepare` then
    /// throws `.cancelled`. `nil` if the caller does not want to know.
    public var reporter: SaveReporter?

    /// Creates a request that changes what is given, and nothing else.
    public init(
        inserted: RowBatch = RowBatch(), updated: [RowUpdate] = [], deleted: [RowDeletion] = [],
        pairs: [PairChange] = [], metadata: [String: MetadataValue] = [:], author: String? = nil,
        contextName: String? = nil
    ) {
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
        self.pairs = pairs
        self.metadata = metadata
        self.author = author
        self.contextName = contextName
    }

    /// Whether the request changes nothing.
    public var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && pairs.isEmpty
            && metadata.isEmpty
    }
}

extension Relationship {
    /// Whether changes of this many-to-many are told from this side: the one declared by the
    /// entity with the lower number, in one entity the one whose name comes first in code units.
    /// Always true without an inverse.
    public var ownsPairs: Bool {
        guard let inverse else { return true }
        if entity.number != inverse.entity.number { return entity.number < inverse.entity.number }
        return !inverse.name.utf8.lexicographicallyPrecedes(name.utf8)
    }
}
