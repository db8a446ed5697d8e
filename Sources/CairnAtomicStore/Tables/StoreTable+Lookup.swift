import CairnModel
import CairnStore

extension StoreTable {
    /// Returns the rows of those IDs, in the order of the IDs. Ignores which store an ID belongs to.
    /// Duplicates are ignored, and IDs without a row are left out.
    ///
    /// Costs least if all IDs are of one hierarchy and their keys ascend.
    func rows(for ids: [ObjectID]) -> RowBatch {
        rows(at: addresses(of: ids))
    }

    /// Returns the rows at those addresses, in the order of the addresses.
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
