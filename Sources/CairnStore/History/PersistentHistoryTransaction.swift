import CairnModel
import Foundation

/// What one save changed in one store, when, and by whom.
public struct PersistentHistoryTransaction: Sendable, Hashable {
    /// The position in the store's history.
    public var position: HistoryPosition
    /// The identifier of the store.
    public var storeID: String
    /// The time of the save, by the clock of the machine that saved.
    public var timestamp: Date
    /// The author of the save, or `nil` if the saver named none.
    public var author: String?
    /// The name of the context that saved, or `nil` if the context had no name.
    public var contextName: String?
    /// The name of the process that saved.
    public var processID: String
    /// The bundle that saved. Stores that Core Data wrote have its identifier; in Cairn, it is the
    /// name of the process.
    public var bundleID: String
    /// The changes: deletions, then updates, then insertions.
    public var changes: [PersistentHistoryChange]

    /// The positions that the reader of several stores has reached in the others.
    package var positionsOfOtherStores: [String: HistoryPosition] = [:]

    /// Creates a transaction, as an engine does.
    public init(
        position: HistoryPosition, storeID: String, timestamp: Date, author: String? = nil,
        contextName: String? = nil, processID: String, bundleID: String,
        changes: [PersistentHistoryChange] = []
    ) {
        self.position = position
        self.storeID = storeID
        self.timestamp = timestamp
        self.author = author
        self.contextName = contextName
        self.processID = processID
        self.bundleID = bundleID
        self.changes = changes
    }

    /// The number of the transaction in the store. Later transactions have greater numbers.
    public var transactionNumber: Int64 { position.number }

    /// The token after this transaction. If the transaction was read together with those of other
    /// stores, the token also covers what was read of them before it.
    public var token: PersistentHistoryToken {
        var positions = positionsOfOtherStores
        positions[storeID] = position
        return PersistentHistoryToken(positions)
    }
}

/// What a save did to one object.
public struct PersistentHistoryChange: Sendable, Hashable {
    /// The kind of the change.
    public var changeType: PersistentHistoryChangeType
    /// The object. A deleted object has no row any more.
    public var changedObjectID: ObjectID
    /// For an update, the names of the properties that changed: attributes, to-one relationships, and
    /// those to-many relationships whose pairs or order the save changed. Empty for other kinds.
    ///
    /// Values that the store derives from others, and the to-many side of a relationship whose
    /// inverse is a to-one relationship, do not count, unless the order of the members changed.
    public var updatedProperties: Set<String>
    /// For a deletion, the values of the attributes that the model preserves
    /// (`preservesValueInHistoryOnDeletion`), without those that were `nil`. Empty for other kinds.
    public var tombstone: [String: Value]

    /// Creates a change, as an engine does.
    public init(
        _ changeType: PersistentHistoryChangeType, _ changedObjectID: ObjectID,
        updatedProperties: Set<String> = [], tombstone: [String: Value] = [:]
    ) {
        self.changeType = changeType
        self.changedObjectID = changedObjectID
        self.updatedProperties = updatedProperties
        self.tombstone = tombstone
    }
}

/// The kind of a change in a store's history. The raw values are Core Data's.
public enum PersistentHistoryChangeType: Int, Sendable, Hashable {
    /// The save added the object.
    case insert = 0
    /// The save changed properties of the object.
    case update = 1
    /// The save removed the object.
    case delete = 2
}
