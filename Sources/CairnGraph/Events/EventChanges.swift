import CairnModel

/// What one event changed, by objects: for the context's own turn.
///
/// An object that came and went within the event is in none of the lists.
struct EventChanges {
    /// Objects that were not there before: new ones, and those whose deletion was taken back.
    private(set) var inserted: [ManagedObject] = []
    /// Objects with changed values or relationships.
    private(set) var updated: [ManagedObject] = []
    /// Objects that are not there any more: deleted ones, and those whose insertion was taken back.
    private(set) var deleted: [ManagedObject] = []
    /// Objects whose values are those of their store again, or will be when they are asked for.
    private(set) var refreshed: [ManagedObject] = []
    /// Objects that lost their values, and may not be in their store any more.
    private(set) var invalidated: [ManagedObject] = []
    /// What was merged from saves of others. `nil` if nothing was.
    private(set) var merged: MergedChanges?
    /// Whether the context let go of all of its objects.
    private(set) var invalidatesAll = false

    init(invalidatesAll: Bool) {
        self.invalidatesAll = invalidatesAll
    }

    /// Reads the current event.
    init(_ journal: MutationJournal) {
        var seen: Set<ObjectIdentifier> = []
        refreshed = journal.refreshed.filter { seen.insert(ObjectIdentifier($0)).inserted }
        invalidated = Array(journal.invalidated)
        merged = journal.merged
        for touch in journal.touches {
            switch (touch.state.isThere, touch.object.state.isThere) {
            case (false, true): inserted.append(touch.object)
            case (true, false): deleted.append(touch.object)
            case (true, true):
                if !seen.contains(ObjectIdentifier(touch.object)) { updated.append(touch.object) }
            case (false, false): break
            }
        }
    }

    /// Whether there is nothing to tell.
    var isEmpty: Bool { hasNoObjects && merged == nil }

    /// Whether there is nothing to tell to those that ask about objects of the context: a merge may
    /// have changed none of them.
    var hasNoObjects: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty
            && invalidated.isEmpty && !invalidatesAll && merged?.arrivals.isEmpty != false
    }
}
