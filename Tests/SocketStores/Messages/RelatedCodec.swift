import CairnModel
import CairnStore

extension MessageWriter {
    /// The members of each owner, with their order keys if there are any.
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

extension MessageReader {
    /// Adds members of owners that were asked for.
    mutating func related(
        ofAtMost count: Int, into related: inout RelatedIDs
    ) throws(MessageDamage) {
        while rest > 0 { try part(into: &related, ofAtMost: related.count + count) }
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
        guard !owners.isEmpty, related.count + owners.count <= most else {
            throw MessageDamage("it is about \(owners.count) owners more than are missing")
        }
        for members in owners {
            for (member, orderKey) in members { related.append(member, orderKey: orderKey) }
            related.endOwner()
        }
    }

    /// How many of the objects that were asked for are answered: one at least.
    mutating func answeredCount(atMost count: Int) throws(MessageDamage) -> Int {
        let answered = try natural()
        guard answered > 0, answered <= count else {
            throw MessageDamage("it answers \(answered) of \(count) objects")
        }
        return answered
    }
}
