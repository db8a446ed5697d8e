import CairnModel
import CairnRows
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

extension [RelatedQuestion] {
    /// Asks each store of the owners once, and combines the answers in the order of the owners.
    ///
    /// - Throws: The errors of `ask`.
    func answer(
        _ ask: (StoreNumber, [RelatedQuestion]) throws(GraphError) -> RelatedAnswer
    ) throws(GraphError) -> RelatedAnswer {
        let owners = map { IDGroups($0.owners) }
        var answers: [[RelatedIDs]] = owners.map { $0.stores.map { _ in RelatedIDs() } }
        var rows = RowBatch()
        var stores: [StoreNumber] = []
        for store in owners.lazy.flatMap(\.stores) where !stores.contains(store) {
            stores.append(store)
        }
        for store in stores {
            var asked: [(question: Int, group: Int)] = []
            for (index, groups) in owners.enumerated() {
                if let group = groups.stores.firstIndex(of: store) { asked.append((index, group)) }
            }
            let found = try ask(
                store,
                asked.map { indices in
                    var question = self[indices.question]
                    question.owners = owners[indices.question].ids[indices.group]
                    return question
                })
            for (indices, members) in zip(asked, found.members) {
                answers[indices.question][indices.group] = members
            }
            rows.append(found.rows)
        }
        return RelatedAnswer(
            members: zip(owners, answers).map { groups, answers in
                answers.count > 1 ? groups.inAskedOrder(answers) : answers.first ?? RelatedIDs()
            }, rows: rows)
    }
}
