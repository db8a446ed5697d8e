import CairnModel

/// What one event took in from saves of others.
struct MergedChanges {
    /// All objects that others inserted, updated or deleted, also those that the context does not have:
    /// they may be what a fetch finds now.
    private(set) var all: Set<ObjectID>
    /// Objects that others inserted and that the context did not have.
    private(set) var arrivals: Set<ObjectID>

    init(_ changes: ObjectIDChanges, arrivals: Set<ObjectID>) {
        all = changes.inserted.union(changes.updated).union(changes.deleted)
        self.arrivals = arrivals
    }

    /// Adds what a later merge of the same event took in.
    mutating func formUnion(_ later: MergedChanges) {
        arrivals.subtract(later.all)
        arrivals.formUnion(later.arrivals)
        all.formUnion(later.all)
    }
}
