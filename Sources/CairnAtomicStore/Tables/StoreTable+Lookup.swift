import CairnModel
import CairnStore

extension StoreTable {
    /// Returns the rows of those IDs, in the order in which they are asked for. The store in an ID is
    /// not looked at. A row that is asked for twice comes once, and an ID without a row is left out.
    ///
    /// Costs least if the IDs are of one hierarchy and their keys ascend.
    func rows(for ids: [ObjectID]) -> RowBatch {
        rows(at: places(of: ids))
    }

    /// Returns the rows at those places, in their order.
    func rows(at places: [RowAddress]) -> RowBatch {
        var gathering = RowGathering(expecting: places.count)
        places.withUnsafeBufferPointer { gathering.add(run(of: $0)) }
        return gathering.batch
    }

    private func places(of ids: [ObjectID]) -> [RowAddress] {
        let isAscending = zip(ids, ids.dropFirst()).allSatisfy {
            $0.rootEntity == $1.rootEntity && $0.key < $1.key
        }
        if isAscending, let first = ids.first {
            return places(root: first.rootEntity, ofAscending: ids.map(\.key)[...])
        }
        var seen = Set<ObjectID>(minimumCapacity: ids.count)
        return ids.compactMap {
            seen.insert($0).inserted ? place(root: $0.rootEntity, key: $0.key) : nil
        }
    }
}
