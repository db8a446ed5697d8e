import CairnModel
import CairnRows

/// All changes that one save makes in one store.
///
/// A request changes each object at most once. A second change of the same object is a row
/// conflict.
///
/// Rows contain attributes and to-one relationships. Pairs of many-to-many relationships, and the
/// order of ordered relationships, are described by ``PairChange`` values. An object whose pairs or
/// order changed is also among the updates, even if none of its slots changed, so that its version
/// increases.
///
/// ``requireWellFormed(for:at:)`` checks the requirements on the request's own rows. Every engine
/// calls it first in `prepare`.
public struct SaveRequest: Sendable {
    /// New rows, with the keys reserved for them and version 1.
    ///
    /// A copy of another store keeps the keys and versions of that store. The engine stores both,
    /// and regards every key up to the greatest one as reserved. Keys and versions are greater than
    /// 0. If a key already has a row, that is a row conflict.
    ///
    /// To-one relationships may lead to rows that come later, and to objects without a row. They
    /// are stored unchanged. A row of an abstract entity is refused with `.unsupported`.
    public var inserted: RowBatch
    /// Complete new rows of objects that are already in the store.
    public var updated: [RowUpdate]
    /// Objects to remove, each with the version that its deletion was based on.
    public var deleted: [RowDeletion]
    /// Changes to pairs and order keys, which rows do not express.
    ///
    /// The store applies them in this order, after all rows. If two changes name the same pair, the
    /// second is applied to the result of the first. A change has no effect if its owner or member
    /// has no row after the save, even if an object with that ID is saved later.
    public var pairs: [PairChange]
    /// Values of the application to set in the store's metadata. Other values are unchanged.
    public var metadata: [String: MetadataValue]
    /// The author of the save for the store's history, or `nil` if the caller names no author.
    public var author: String?
    /// The name of the saving context for the store's history, or `nil` if the context has no name.
    public var contextName: String?
    /// The name that the store records together with the save, or `nil` if the save is not to be
    /// recorded.
    ///
    /// The name becomes durable and visible in the same step as the rows of the save. If the save
    /// does not take place, the name is not recorded. The name of a save that changes nothing is
    /// recorded, too. Names are not part of the metadata, and copies of a store need not contain
    /// them. ``PersistentStore/outcome(of:)`` returns whether the save took place.
    public var id: SaveID?
    /// An object that is told how many objects have been written, and that may end the save before
    /// its commit, in which case `prepare` throws `.cancelled`. `nil` if the caller is not
    /// interested.
    public var reporter: SaveReporter?

    /// Creates a request with the given changes.
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
    /// Whether changes of this many-to-many relationship are listed for this side. That is the side
    /// declared by the entity with the lower number. If both sides belong to one entity, it is the
    /// side whose name comes first by its UTF-8 bytes. Always `true` if there is no inverse.
    public var ownsPairs: Bool {
        guard let inverse else { return true }
        if entity.number != inverse.entity.number { return entity.number < inverse.entity.number }
        return !inverse.name.utf8.lexicographicallyPrecedes(name.utf8)
    }
}
