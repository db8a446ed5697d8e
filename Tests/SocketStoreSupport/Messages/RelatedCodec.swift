import CairnModel
import CairnStore

extension MessageWriter {
    /// Writes the members of each owner, with their order keys if the relationship is ordered.
    mutating func related(_ related: RelatedIDs) {
        let isOrdered = !related.orderKeys.isEmpty
        flag(isOrdered)
        list(Array(0..<related.count)) { writer, owner in
            writer.list(related.range(ofOwnerAt: owner)) { writer, index in
                writer.id(related.members[index])
                if isOrdered { writer.integer(related.orderKeys[index]) }
            }
        }
    }
}

extension MessageWriter {
    mutating func questions(_ questions: [RelatedQuestion], own store: StoreNumber) {
        list(questions) { writer, question in
            writer.relationship(question.relationship)
            writer.flag(question.includesRows)
            writer.list(question.owners) { $0.owner($1, own: store) }
        }
    }

    /// Writes the ID of an owner. An object of another store is written with key 0, which has no members.
    mutating func owner(_ id: ObjectID, own store: StoreNumber) {
        self.id(
            id.store == store
                ? id
                : ObjectID(store: store, rootEntity: id.rootEntity, entity: id.entity, key: 0))
    }
}

extension MessageReader {
    mutating func questions() throws(MessageDamage) -> [RelatedQuestion] {
        try list { reader throws(MessageDamage) in
            let relationship = try reader.persistentToMany()
            let includesRows = try reader.flag()
            return RelatedQuestion(
                relationship, of: try reader.ids(), includesRows: includesRows)
        }
    }

    /// Reads the answer to questions about the given numbers of owners.
    mutating func answer(toOwners counts: [Int]) throws(MessageDamage) -> RelatedAnswer {
        var answer = RelatedAnswer()
        for count in counts {
            var related = RelatedIDs()
            try part(into: &related, ofAtMost: count)
            guard related.count == count else {
                throw MessageDamage("it answers \(related.count) of \(count) owners")
            }
            answer.members.append(related)
        }
        answer.rows = try batch()
        return answer
    }

    /// Reads members of the requested owners and appends them.
    mutating func related(
        ofAtMost count: Int, into related: inout RelatedIDs
    ) throws(MessageDamage) {
        let most = related.count + count
        let before = related.count
        while rest > 0 { try part(into: &related, ofAtMost: most) }
        if related.count == before { throw MessageDamage("it answers none of \(count) owners") }
    }

    private mutating func part(
        into related: inout RelatedIDs, ofAtMost most: Int
    ) throws(MessageDamage) {
        let isOrdered = try flag()
        let owners = try list { reader throws(MessageDamage) in
            try reader.list { reader throws(MessageDamage) in
                (try reader.id(), isOrdered ? try reader.integer(Int64.self) : nil)
            }
        }
        guard related.count + owners.count <= most else {
            throw MessageDamage("it is about \(owners.count) owners more than are missing")
        }
        for members in owners {
            for (member, orderKey) in members { related.append(member, orderKey: orderKey) }
            related.endOwner()
        }
    }

    /// Reads how many of the requested objects the answer covers. The number is at least one.
    mutating func answeredCount(atMost count: Int) throws(MessageDamage) -> Int {
        let answered = try natural()
        guard answered > 0, answered <= count else {
            throw MessageDamage("it answers \(answered) of \(count) objects")
        }
        return answered
    }
}
