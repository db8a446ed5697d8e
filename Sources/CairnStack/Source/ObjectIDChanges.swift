import CairnModel

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
