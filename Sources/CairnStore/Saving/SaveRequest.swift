import CairnModel

/// Everything that one save changes in one store.
///
/// An object comes once: a second change of it is a row conflict.
///
/// Rows own their attributes and to-ones. Pairs of a many-to-many, and the order of any ordered
/// relationship, travel as ``PairChange``s; an object whose pairs or order changed is among the
/// updates too, perhaps with no changed slot, so that its version is raised.
public struct SaveRequest: Sendable {
    /// New rows, with the keys reserved for them and version 1.
    ///
    /// A copy of another store brings its keys and versions along: the store keeps both, and takes
    /// every key up to the greatest for reserved. To-ones may lead to rows that come later.
    public var inserted: RowBatch
    /// Complete new rows of objects that are in the store already.
    public var updated: [RowUpdate]
    /// Objects to remove, each with the version that it was deleted at.
    public var deleted: [RowDeletion]
    /// What rows do not express of relationships: pairs and order keys.
    public var pairs: [PairChange]
    /// Application values to set in the store's metadata; others stay.
    public var metadata: [String: MetadataValue]
    /// Who saves; for the store's history. nil: not said.
    public var author: String?
    /// The context that saves; for the store's history. nil: it has no name.
    public var contextName: String?

    /// A request that changes what is given, and nothing else. `author` and `contextName` are for
    /// the store's history alone.
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

/// A row to replace.
public struct RowUpdate: Sendable {
    /// The complete new row; its version is `previousVersion + 1`.
    public var row: Row
    /// The version that the change was made on. Another one in the store is a conflict.
    public var previousVersion: Int64
    /// The slots whose values differ from the row of `previousVersion`.
    public var changedSlots: SlotSet

    /// Takes a row that was packed already; nothing is checked before the store's `prepare`.
    public init(row: Row, previousVersion: Int64, changedSlots: SlotSet) {
        self.row = row
        self.previousVersion = previousVersion
        self.changedSlots = changedSlots
    }
}

/// A row to remove, with its pairs.
public struct RowDeletion: Sendable, Hashable {
    /// The object whose row goes.
    public var id: ObjectID
    /// The version that the deletion was decided on. Another one in the store is a conflict; a
    /// row that is gone already is one too.
    public var previousVersion: Int64

    /// Takes what was read last; nothing is checked before the store's `prepare`.
    public init(id: ObjectID, previousVersion: Int64) {
        self.id = id
        self.previousVersion = previousVersion
    }
}

/// A change to a pair of objects that a row's to-one does not express.
///
/// Pairs of a many-to-many come once, from the side whose ``Relationship/ownsPairs`` is true. The
/// order in an ordered one-to-many comes from its to-many side; membership is in the member's row.
/// Pairs of a deleted object are not listed: the store removes them with the row.
public struct PairChange: Sendable, Hashable {
    /// What happens to the pair.
    public enum Kind: Sendable, Hashable {
        /// The pair is new. One that is there already is left as it is, but for its order keys.
        case insert
        /// The pair goes. One that is not there is no error.
        case delete
        /// The pair stays and takes the order keys that are given.
        case reorder
    }

    /// What happens to the pair.
    public var kind: Kind
    /// The to-many that leads from the owner to the member.
    public var relationship: Relationship
    /// The object at the near end, permanent.
    public var owner: ObjectID
    /// The object at the far end, permanent.
    public var member: ObjectID
    /// Where the member stands among the owner's; nil where the relationship has no order.
    public var orderKey: Int64?
    /// Where the owner stands among the member's; nil where the inverse has no order.
    public var inverseOrderKey: Int64?

    /// A change of one pair. Order keys are nil unless the relationship, or its inverse, has an
    /// order.
    public init(
        _ kind: Kind, _ relationship: Relationship, owner: ObjectID, member: ObjectID,
        orderKey: Int64? = nil, inverseOrderKey: Int64? = nil
    ) {
        self.kind = kind
        self.relationship = relationship
        self.owner = owner
        self.member = member
        self.orderKey = orderKey
        self.inverseOrderKey = inverseOrderKey
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
