import CairnModel

/// What an event or a save changed, by object IDs: for any thread and task.
public struct ObjectIDChanges: Sendable, Hashable {
    /// Objects that were not there before: new ones, those whose deletion was taken back, and those that
    /// were inserted elsewhere and merged.
    public var inserted: Set<ObjectID> = []
    /// Objects with changed values or relationships.
    public var updated: Set<ObjectID> = []
    /// Objects that are not there any more: deleted ones, and those whose insertion was taken back.
    public var deleted: Set<ObjectID> = []
    /// Objects whose values are those of their store again, or will be when they are asked for.
    public var refreshed: Set<ObjectID> = []
    /// Objects that lost their values, and may not be in their store any more.
    public var invalidated: Set<ObjectID> = []
    /// Whether the context let go of all of its objects.
    public var invalidatesAll = false

    /// No changes.
    public init() {}

    init(_ changes: EventChanges) {
        inserted = Set(changes.inserted.lazy.map(\.objectID))
        if let merged = changes.merged { inserted.formUnion(merged.arrivals) }
        updated = Set(changes.updated.lazy.map(\.objectID))
        deleted = Set(changes.deleted.lazy.map(\.objectID))
        refreshed = Set(changes.refreshed.lazy.map(\.objectID))
        invalidated = Set(changes.invalidated.lazy.map(\.objectID))
        invalidatesAll = changes.invalidatesAll
    }

    init(_ changes: SavedChanges) {
        inserted = Set(changes.inserted.lazy.map(\.objectID))
        updated = Set(changes.updated.lazy.map(\.objectID))
        deleted = Set(changes.deleted.lazy.map(\.objectID))
    }
}
