import CairnModel
import CairnRows
import CairnStore

/// Answers questions about members and their rows, from one state of a table.
struct MemberReading {
    private let table: StoreTable
    private let store: StoreNumber
    /// The addresses of the answer's rows, each once.
    private var addresses: [RowAddress] = []
    private var seen: Set<ObjectID> = []

    /// Whether the owners have no rows. Members may still refer to them.
    private let ownersAreDeleted: Bool

    init(table: StoreTable, store: StoreNumber, ownersAreDeleted: Bool = false) {
        self.ownersAreDeleted = ownersAreDeleted
        self.table = table
        self.store = store
    }

    /// Answers the questions as described in ``StoreSnapshot/related(_:)``.
    mutating func answer(_ questions: [RelatedQuestion]) -> RelatedAnswer {
        let hasOneQuestionWithRows = questions.count { $0.includesRows } == 1
        var answer = RelatedAnswer()
        for question in questions {
            let mayRepeat = !hasOneQuestionWithRows || Self.mayRepeat(question)
            answer.members.append(members(of: question, mayRepeat: mayRepeat))
        }
        answer.rows = table.rows(at: addresses)
        return answer
    }

    /// Returns whether an object may be a member of several of the owners. Makes one comparison for
    /// each owner, because a comparison for each member would cost as much as reading the member.
    private static func mayRepeat(_ question: RelatedQuestion) -> Bool {
        let owners = question.owners
        return question.relationship.inverse?.isToMany ?? true
            || !zip(owners, owners.dropFirst()).allSatisfy { $0.key < $1.key }
    }

    private mutating func members(of question: RelatedQuestion, mayRepeat: Bool) -> RelatedIDs {
        let root = question.relationship.entity.rootEntity.number
        var related = RelatedIDs()
        for owner in question.owners {
            if owner.store == store, owner.rootEntity == root,
                ownersAreDeleted || table.address(root: root, key: owner.key) != nil,
                question.includesRows || !appendKeys(of: question, owner, to: &related)
            {
                table.forEachMemberAndAddress(of: question.relationship, owner: owner.key) {
                    let id = $0.id
                    related.append(id, orderKey: $1)
                    guard question.includesRows else { return }
                    if !mayRepeat || seen.insert(id).inserted { addresses.append($2) }
                }
            }
            related.endOwner()
        }
        return related
    }

    /// Adds the members without reading their rows. Returns `false` if that is not possible.
    private func appendKeys(
        of question: RelatedQuestion, _ owner: ObjectID, to related: inout RelatedIDs
    ) -> Bool {
        let destination = question.relationship.destination
        var members: [ObjectID] = []
        let isDone = table.forEachMemberKey(of: question.relationship, owner: owner.key) {
            members.append(
                ObjectID(
                    store: store, rootEntity: destination.number, entity: destination.number,
                    key: $0))
        }
        if isDone { related.append(contentsOf: members) }
        return isDone
    }
}
