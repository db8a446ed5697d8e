import CairnModel

/// The conflicts of a save, collected member by member. Members for which the same is true are in one conflict.
package struct ReferenceConflictList {
    /// What the members of one conflict have in common.
    private struct Subject: Hashable {
        let reason: ReferenceConflict.Reason
        let object: ObjectID
        let relationship: Relationship
    }

    private var members: [Subject: [ObjectID]] = [:]
    private var order: [Subject] = []

    package init() {}

    /// The conflicts, in the order in which they were first reported.
    package var conflicts: [ReferenceConflict] {
        order.map { subject in
            ReferenceConflict(
                subject.reason, object: subject.object, entity: subject.relationship.entity.name,
                relationship: subject.relationship.name, members: members[subject] ?? [])
        }
    }

    package mutating func report(
        _ reason: ReferenceConflict.Reason, _ object: ObjectID, _ relationship: Relationship,
        _ member: ObjectID
    ) {
        let subject = Subject(reason: reason, object: object, relationship: relationship)
        if members[subject] == nil { order.append(subject) }
        members[subject, default: []].append(member)
    }
}
