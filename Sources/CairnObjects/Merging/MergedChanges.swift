import CairnModel
import CairnStack

/// The changes that one event merged from the saves of other contexts.
package struct MergedChanges {
    /// All objects that others inserted, updated or deleted. Includes objects that the context does not
    /// have, because fetches may now find them.
    package private(set) var all: Set<ObjectID>
    /// Objects that others inserted and that the context did not have.
    private(set) var arrivals: Set<ObjectID>

    init(_ changes: ObjectIDChanges, arrivals: Set<ObjectID>) {
        all = changes.inserted.union(changes.updated).union(changes.deleted)
        self.arrivals = arrivals
    }

    /// Adds the changes of a later merge in the same event.
    mutating func formUnion(_ later: MergedChanges) {
        arrivals.subtract(later.all)
        arrivals.formUnion(later.arrivals)
        all.formUnion(later.all)
    }
}
