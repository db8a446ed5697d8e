import CairnModel
import CairnRows
import CairnStore

/// Questions about members, split by the stores of the owners. Also restores the order of the owners.
struct RelatedGroups {
    private let questions: [RelatedQuestion]
    private let owners: [IDGroups]

    init(_ questions: [RelatedQuestion]) {
        self.questions = questions
        owners = questions.map { IDGroups($0.owners) }
    }

    /// Asks each store once, and combines the answers.
    ///
    /// - Throws: The errors of `ask`.
    func answer(
        _ ask: (StoreNumber, [RelatedQuestion]) throws(GraphError) -> RelatedAnswer
    ) throws(GraphError) -> RelatedAnswer {
        var answers: [[RelatedIDs]] = owners.map { $0.stores.map { _ in RelatedIDs() } }
        var rows = RowBatch()
        for store in stores {
            var asked: [(question: Int, group: Int)] = []
            for (index, groups) in owners.enumerated() {
                if let group = groups.stores.firstIndex(of: store) { asked.append((index, group)) }
            }
            let found = try ask(
                store,
                asked.map { indices in
                    var question = questions[indices.question]
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

    private var stores: [StoreNumber] {
        var stores: [StoreNumber] = []
        for store in owners.lazy.flatMap(\.stores) where !stores.contains(store) {
            stores.append(store)
        }
        return stores
    }
}
