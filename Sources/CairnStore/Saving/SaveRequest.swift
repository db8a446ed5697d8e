import CairnModel
import CairnRows
import Synchronization

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
    ///
    /// Give each save a name of its own: a store need not notice that it has recorded a name before.
    public var id: SaveID?
    /// The part of a save that the request is, or `nil` if it is a whole save. The parts of one save are
    /// passed to ``SaveTransaction/prepareNext(_:)``, one after the other.
    public var part: SavePart?
    /// The position before which the store's history is purged, in a save without other changes. Only
    /// stores whose content is in memory get it.
    package var purgesHistoryBefore: HistoryPosition?
    /// Transactions of another store that are added to the history, in a save without other changes. Only
    /// stores whose content is in memory get them.
    package var addedHistory: [PersistentHistoryTransaction]?
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

    /// Whether a store has nothing to record for the request, not even its name.
    package var changesNothing: Bool {
        isEmpty && id == nil && purgesHistoryBefore == nil && addedHistory == nil
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

/// A row to replace.
public struct RowUpdate: Sendable {
    /// The complete new row, whose version is `previousVersion + 1`.
    ///
    /// Any other version is an error of the caller, and `prepare` throws `.engineFailure`.
    public var row: Row
    /// The version that the change was based on. If the store contains another version, that is a
    /// conflict.
    public var previousVersion: Int64
    /// The slots whose values differ from the row of `previousVersion`.
    public var changedSlots: SlotSet

    /// Creates an update from a packed row. Nothing is checked before the store's `prepare`.
    package init(row: Row, previousVersion: Int64, changedSlots: SlotSet) {
        self.row = row
        self.previousVersion = previousVersion
        self.changedSlots = changedSlots
    }
}

/// A row to remove, together with its pairs.
public struct RowDeletion: Sendable, Hashable {
    /// The object whose row is removed.
    public var id: ObjectID
    /// The version that the deletion was based on. If the store contains another version, or no
    /// row, that is a conflict.
    public var previousVersion: Int64

    /// Creates a deletion. Nothing is checked before the store's `prepare`.
    package init(id: ObjectID, previousVersion: Int64) {
        self.id = id
        self.previousVersion = previousVersion
    }
}

/// A change to a pair of related objects that no to-one relationship in a row expresses.
///
/// For a many-to-many relationship, changes are listed for the side whose
/// ``Relationship/ownsPairs`` is `true`. For an ordered one-to-many relationship, the member's row
/// alone determines its owner. A change then only sets the member's order key, and has no effect if
/// the row names another owner. Pairs of a deleted object are not listed, because the store removes
/// them together with the row.
///
/// Order keys are arbitrary 64-bit integers. Members with equal order keys are sorted by key.
/// Members without an order key come after all others.
public struct PairChange: Sendable, Hashable {
    /// What happens to the pair.
    public enum Kind: Sendable, Hashable {
        /// Adds the pair. If the pair exists already, it is kept and takes the given order keys.
        case insert
        /// Removes the pair. Has no effect if the pair does not exist. In an ordered one-to-many
        /// relationship, removes the member's order key.
        case delete
        /// Sets the order keys of the pair that are not `nil`. Has no effect if the pair does not
        /// exist.
        case reorder
    }

    /// What happens to the pair.
    public var kind: Kind
    /// The to-many relationship that leads from the owner to the member.
    public var relationship: Relationship
    /// The permanent ID of the object that the relationship starts from.
    public var owner: ObjectID
    /// The permanent ID of the object that the relationship leads to.
    public var member: ObjectID
    /// The position of the member among the owner's members. `nil` leaves the position unchanged.
    /// Must be `nil` if the relationship is not ordered.
    public var orderKey: Int64?
    /// The position of the owner among the member's owners. `nil` leaves the position unchanged.
    /// Must be `nil` if the inverse is not ordered.
    public var inverseOrderKey: Int64?

    /// Creates a change to one pair.
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

/// Tells the caller of a save how many objects have been written, and asks whether the save should
/// continue.
///
/// An engine counts the rows that it writes and removes in `prepare`. An engine may also count
/// nothing: the save is then reported in one step, and cannot be cancelled while it is under way.
public final class SaveReporter: Sendable {
    /// The number of objects that are written between two reports.
    package static let interval = 100

    private let written = Atomic<Int>(0)
    private let report: @Sendable (Int) -> Bool

    /// Creates a reporter.
    ///
    /// - Parameter report: called with the number of objects that have been written so far. Returns
    ///   whether the save should continue.
    package init(_ report: @escaping @Sendable (Int) -> Bool) { self.report = report }

    /// Restarts the count at 0, before the request is written again.
    package func restart() { written.store(0, ordering: .relaxed) }

    /// Counts objects that were written, and reports after every `interval` objects.
    ///
    /// - Throws: `.cancelled` if the caller wants the save to end.
    public func wrote(_ count: Int = 1) throws(StoreError) {
        let (before, now) = written.add(count, ordering: .relaxed)
        guard before / Self.interval != now / Self.interval else { return }
        guard report(now) else { throw .cancelled }
    }
}

extension SaveRequest {
    /// Checks the requirements on the request's own rows, without looking into a store.
    ///
    /// Inserted and updated rows must have permanent keys, greater than 0, and versions greater
    /// than 0. The version of an updated row must be its `previousVersion + 1`. A request that
    /// violates this is an error of the caller. No conflict is reported for it, because saving
    /// again would not help.
    ///
    /// The cost is one pass over the headers of the rows.
    ///
    /// - Parameters:
    ///   - type: the engine that was asked to prepare the request.
    ///   - location: the store that was asked.
    /// - Throws: `.engineFailure`, which names the first such row by entity number and key.
    public func requireWellFormed(
        for type: StoreType, at location: StoreLocation
    ) throws(StoreError) {
        guard let fault = faultOfInsertions ?? faultOfUpdates else { return }
        throw .engineFailure(
            EngineFailure(
                type: type, location: location, operation: "prepare", code: 0, message: fault))
    }

    private var faultOfInsertions: String? {
        for index in inserted.rowIndices {
            let row = inserted.pointer(at: index)
            if row.key < 1 { return Self.fault(row.entity, row.key, "its key is not permanent") }
            if row.version < 1 {
                return Self.fault(row.entity, row.key, "its version is not greater than 0")
            }
        }
        return nil
    }

    private var faultOfUpdates: String? {
        for update in updated {
            let row = update.row
            if row.key < 1 { return Self.fault(row.entity, row.key, "its key is not permanent") }
            let (next, overflow) = update.previousVersion.addingReportingOverflow(1)
            if overflow || row.version != next || update.previousVersion < 0 {
                return Self.fault(
                    row.entity, row.key,
                    "its version is \(row.version), but must be one more than"
                        + " \(update.previousVersion)")
            }
        }
        return nil
    }

    private static func fault(_ entity: EntityNumber, _ key: Int64, _ detail: String) -> String {
        "the row of entity \(entity.rawValue) with key \(key) cannot be saved: \(detail)"
    }
}

extension SaveRequest {
    /// Returns a conflict for each row that is not in the store as the request expects it, in the
    /// order of updates, deletions and insertions. An insertion expects no row, and is reported
    /// with expected version 0.
    ///
    /// The second change of one object is always a conflict, because the first one has changed its
    /// version.
    ///
    /// - Parameter stored: returns the row that is in the store before the save.
    /// - Throws: the errors that `stored` throws.
    public func rowConflicts<Failure: Error>(
        stored: (ObjectID) throws(Failure) -> Row?
    ) throws(Failure) -> [RowConflict] {
        var conflicts: [RowConflict] = []
        var seen = Set<ObjectID>(minimumCapacity: updated.count + deleted.count + inserted.count)
        func check(_ id: ObjectID, _ expected: Int64?) throws(Failure) {
            let found = try stored(id)
            if seen.insert(id).inserted, found?.version == expected { return }
            conflicts.append(RowConflict(id: id, expectedVersion: expected ?? 0, stored: found))
        }
        for update in updated { try check(update.row.id, update.previousVersion) }
        for deletion in deleted { try check(deletion.id, deletion.previousVersion) }
        for row in inserted.rows { try check(row.id, nil) }
        return conflicts
    }

    /// Whether two of the request's changes concern the same object. Fast if the rows are sorted by
    /// key.
    package var changesAnObjectTwice: Bool {
        let changed = updated.map(\.row.id) + deleted.map(\.id)
        let new = inserted.ids
        if Self.hasRepeats(changed) || Self.hasRepeats(new) { return true }
        if changed.isEmpty || new.isEmpty { return false }
        return !Set(changed).isDisjoint(with: new)
    }

    private static func hasRepeats(_ ids: [ObjectID]) -> Bool {
        let isAscending = zip(ids, ids.dropFirst()).allSatisfy {
            ($0.rootEntity, $0.key) < ($1.rootEntity, $1.key)
        }
        return !isAscending && Set(ids).count != ids.count
    }
}
