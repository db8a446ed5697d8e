import CairnModel
import CairnRows

extension StoreTable {
    /// Returns the rows of the IDs, in the order of the IDs. Does not check which store an ID
    /// belongs to. Duplicates are ignored, and IDs without a row are left out.
    ///
    /// Fastest if all IDs are of one hierarchy and their keys are in ascending order.
    func rows(for ids: [ObjectID]) -> RowBatch {
        rows(at: addresses(of: ids))
    }

    /// Returns the rows at the addresses, in the same order.
    func rows(at addresses: [RowAddress]) -> RowBatch {
        var gathering = RowGathering(expecting: addresses.count)
        addresses.withUnsafeBufferPointer { gathering.add(run(of: $0)) }
        return gathering.batch
    }

    private func addresses(of ids: [ObjectID]) -> [RowAddress] {
        let isAscending = zip(ids, ids.dropFirst()).allSatisfy {
            $0.rootEntity == $1.rootEntity && $0.key < $1.key
        }
        if isAscending, let first = ids.first {
            return addresses(root: first.rootEntity, ofAscending: ids.map(\.key)[...])
        }
        var seen = Set<ObjectID>(minimumCapacity: ids.count)
        return ids.compactMap {
            seen.insert($0).inserted ? address(root: $0.rootEntity, key: $0.key) : nil
        }
    }
}
