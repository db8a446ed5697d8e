import CairnModel
import CairnStore

/// The changes of an event or a save, as object IDs, for use in any thread or task.
public struct ObjectIDChanges: Sendable, Hashable {
    /// New objects, objects whose deletion was undone, and objects that were inserted elsewhere and
    /// merged.
    public var inserted: Set<ObjectID> = []
    /// Objects with changed values or relationships.
    public var updated: Set<ObjectID> = []
    /// Deleted objects, and objects whose insertion was undone.
    public var deleted: Set<ObjectID> = []
    /// Objects whose values were replaced by those of their store, or will be when they are next read.
    public var refreshed: Set<ObjectID> = []
    /// Objects that lost their values. Their stores may no longer contain them.
    public var invalidated: Set<ObjectID> = []
    /// Whether the context removed all of its objects.
    public var invalidatesAll = false

    /// Creates an empty set of changes.
    public init() {}
}

extension ObjectIDChanges {
    /// Creates the changes that several transactions make together. An object that was inserted and
    /// deleted again is among neither.
    public init(_ transactions: [PersistentHistoryTransaction]) {
        var kinds: [ObjectID: PersistentHistoryChangeType] = [:]
        for change in transactions.lazy.flatMap(\.changes) {
            let id = change.changedObjectID
            switch (kinds[id], change.changeType) {
            case (.insert, .update): break
            case (.insert, .delete): kinds[id] = nil
            default: kinds[id] = change.changeType
            }
        }
        func ids(_ kind: PersistentHistoryChangeType) -> Set<ObjectID> {
            Set(kinds.lazy.filter { $0.value == kind }.map(\.key))
        }
        self.init()
        (inserted, updated, deleted) = (ids(.insert), ids(.update), ids(.delete))
    }

    /// Adds changes that were made after these. An object that was inserted and deleted again is among neither.
    package mutating func append(_ later: ObjectIDChanges) {
        for id in later.inserted where deleted.remove(id) == nil { inserted.insert(id) }
        // An object that is back may have other values.
        updated.formUnion(later.inserted.subtracting(inserted))
        updated.formUnion(later.updated.subtracting(inserted))
        for id in later.deleted where inserted.remove(id) == nil { deleted.insert(id) }
        updated.subtract(later.deleted)
        refreshed.formUnion(later.refreshed)
        invalidated.formUnion(later.invalidated)
        invalidatesAll = invalidatesAll || later.invalidatesAll
    }
}
