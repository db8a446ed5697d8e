import CairnModel
import CairnStore

/// The part of a change set that one store takes.
struct ChangeShare {
    let attached: AttachedStore
    var inserted: [ObjectID] = []
    var updated: [ChangeSet.Update] = []
    var deleted: [RowDeletion] = []
    var pairs: [PairChange] = []

    init(_ attached: AttachedStore) {
        self.attached = attached
    }

    /// Splits a change set among the stores, in the order of their identifiers. A store without
    /// changes is absent.
    ///
    /// - Throws: see ``StoreAssignment/store(of:assignments:)``.
    static func split(
        _ changes: ChangeSet, by assignment: StoreAssignment
    ) throws(GraphError) -> [ChangeShare] {
        var splitter = Splitter(changes: changes, assignment: assignment)
        for id in changes.inserted { try splitter.withShare(of: id) { $0.inserted.append(id) } }
        for it in changes.updated { try splitter.withShare(of: it.id) { $0.updated.append(it) } }
        for it in changes.deleted { try splitter.withShare(of: it.id) { $0.deleted.append(it) } }
        for it in changes.pairs { try splitter.withShare(of: it.owner) { $0.pairs.append(it) } }
        return splitter.shares.sorted { $0.attached.identifier < $1.attached.identifier }
    }

    private struct Splitter {
        let changes: ChangeSet
        let assignment: StoreAssignment
        var shares: [ChangeShare] = []

        mutating func withShare(
            of id: ObjectID, _ body: (inout ChangeShare) -> Void
        ) throws(GraphError) {
            let attached = try assignment.store(of: id, assignments: changes.assignments)
            if let index = shares.firstIndex(where: { $0.attached.number == attached.number }) {
                body(&shares[index])
            } else {
                var share = ChangeShare(attached)
                body(&share)
                shares.append(share)
            }
        }
    }
}
