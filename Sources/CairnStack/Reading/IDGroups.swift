import CairnModel
import CairnStore

/// IDs grouped by their stores. Also restores the original order of the IDs.
struct IDGroups {
    private(set) var stores: [StoreNumber] = []
    /// The IDs of each of ``stores``, in the original order.
    private(set) var ids: [[ObjectID]] = []
    /// The index of each ID's group, in the original order. Empty if all IDs are in one store.
    private var groups: [Int] = []

    init(_ asked: [ObjectID]) {
        guard let first = asked.first?.store else { return }
        if asked.allSatisfy({ $0.store == first }) {
            stores = [first]
            ids = [asked]
            return
        }
        for id in asked {
            let group = stores.firstIndex(of: id.store) ?? stores.count
            if group == stores.count {
                stores.append(id.store)
                ids.append([])
            }
            ids[group].append(id)
            groups.append(group)
        }
    }

    /// Combines the answers of all groups, in the original order of the owners.
    ///
    /// - Precondition: There is more than one group.
    func inAskedOrder(_ answers: [RelatedIDs]) -> RelatedIDs {
        var result = RelatedIDs()
        var nextOwners = [Int](repeating: 0, count: answers.count)
        for group in groups {
            let answer = answers[group]
            for index in answer.range(ofOwnerAt: nextOwners[group]) {
                let orderKey = answer.orderKeys.isEmpty ? nil : answer.orderKeys[index]
                result.append(answer.members[index], orderKey: orderKey)
            }
            result.endOwner()
            nextOwners[group] += 1
        }
        return result
    }
}
