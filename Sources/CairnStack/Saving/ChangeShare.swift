import CairnModel
import CairnStore

/// The part of a change set that is saved to one store.
struct ChangeShare {
    let attached: AttachedStore
    var inserted: [ObjectID] = []
    var updated: [ChangeSet.Update] = []
    var deleted: [RowDeletion] = []
    var pairs: [PairChange] = []

    init(_ attached: AttachedStore) {
        self.attached = attached
    }

    /// Splits a change set among the stores, in the order of their identifiers. Stores without changes
    /// are left out.
    ///
    /// - Throws: The errors of ``StoreList/store(of:assignments:)``.
    static func split(
        _ changes: ChangeSet, among stores: StoreList
    ) throws(GraphError) -> [ChangeShare] {
        var splitter = Splitter(assignments: changes.assignments, stores: stores)
        for id in changes.inserted { try splitter.withShare(of: id) { $0.inserted.append(id) } }
        for it in changes.updated { try splitter.withShare(of: it.id) { $0.updated.append(it) } }
        for it in changes.deleted { try splitter.withShare(of: it.id) { $0.deleted.append(it) } }
        for it in changes.pairs { try splitter.withShare(of: it.owner) { $0.pairs.append(it) } }
        return splitter.shares.sorted { $0.attached.identifier < $1.attached.identifier }
    }

    /// Splits new objects among the stores, in the same way as ``split(_:among:)``.
    static func split(
        newObjects ids: [ObjectID], assignments: [ObjectID: StoreNumber], among stores: StoreList
    ) throws(GraphError) -> [ChangeShare] {
        var splitter = Splitter(assignments: assignments, stores: stores)
        for id in ids { try splitter.withShare(of: id) { $0.inserted.append(id) } }
        return splitter.shares.sorted { $0.attached.identifier < $1.attached.identifier }
    }

    private struct Splitter {
        let assignments: [ObjectID: StoreNumber]
        let stores: StoreList
        var shares: [ChangeShare] = []
        /// For each entity, the index of the share that takes new objects without an assigned store.
        private var sharesByEntity: [EntityNumber: Int] = [:]
        /// The index that was found last. Consecutive objects usually belong to one entity.
        private var last: (entity: EntityNumber, share: Int)?

        init(assignments: [ObjectID: StoreNumber], stores: StoreList) {
            self.assignments = assignments
            self.stores = stores
        }

        mutating func withShare(
            of id: ObjectID, _ body: (inout ChangeShare) -> Void
        ) throws(GraphError) {
            body(&shares[try index(of: id)])
        }

        private mutating func index(of id: ObjectID) throws(GraphError) -> Int {
            guard id.isTemporary, assignments.isEmpty else {
                let known = shares.firstIndex { $0.attached.number == id.store }
                if let known { return known }
                return try newIndex(of: id)
            }
            if let last, last.entity == id.entity { return last.share }
            let known = sharesByEntity[id.entity]
            let index = if let known { known } else { try newIndex(of: id) }
            sharesByEntity[id.entity] = index
            last = (id.entity, index)
            return index
        }

        private mutating func newIndex(of id: ObjectID) throws(GraphError) -> Int {
            let attached = try stores.store(of: id, assignments: assignments)
            let known = shares.firstIndex { $0.attached.number == attached.number }
            if let known { return known }
            shares.append(ChangeShare(attached))
            return shares.count - 1
        }
    }
}
