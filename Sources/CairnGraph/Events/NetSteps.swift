import CairnModel

/// Gathers the steps of an event and leaves out what came to nothing, so that undoing never takes
/// a step that nobody sees.
///
/// Left out are a member that was added and removed, or removed and added; a transient value that
/// is what it was; an order that is what it was; and what was done to objects that came and went.
/// What is left has one step for a member, a transient value and an order.
struct NetSteps {
    private var steps: ContiguousArray<Mutation?> = []
    /// Where the step of a member is that nothing has taken back.
    private var members: [MemberKey: Int] = [:]
    /// Where the additions to an ordered relationship are.
    private var additions: [RelationKey: [Int]] = [:]
    private var transients: Set<RelationKey> = []
    private let ephemeral: Set<ObjectIdentifier>

    private struct RelationKey: Hashable {
        let object: ObjectIdentifier
        let slot: Int?
    }

    private struct MemberKey: Hashable {
        let relation: RelationKey
        let id: ObjectID
    }

    /// - Parameter ephemeral: the objects that came and went within the event.
    init(without ephemeral: Set<ObjectIdentifier>) {
        self.ephemeral = ephemeral
    }

    /// The steps that are left, in the order in which they were made.
    var remaining: ContiguousArray<Mutation> { ContiguousArray(steps.compactMap(\.self)) }

    /// Adds the next step.
    ///
    /// - Parameter formerOrder: of a changed order the members when it was first changed.
    mutating func add(_ step: Mutation, formerOrder: [ObjectID]?) {
        guard !ephemeral.contains(ObjectIdentifier(step.object)) else { return }
        switch step {
        case .added(let object, let relationship, let id),
            .removed(let object, let relationship, let id):
            addMember(id, step, Self.key(object, relationship))
        case .transient(let object, let slot, let former):
            let key = RelationKey(object: ObjectIdentifier(object), slot: slot)
            guard transients.insert(key).inserted else { return }
            // What the context let go of has lost its values.
            if object.owner != nil, object.extraValue(at: slot) == former { return }
            steps.append(step)
        case .order(let object, let relationship, _):
            addOrder(of: object, relationship, former: formerOrder ?? [])
        case .appeared, .disappeared, .value: steps.append(step)
        }
    }

    private mutating func addMember(_ id: ObjectID, _ step: Mutation, _ relation: RelationKey) {
        let key = MemberKey(relation: relation, id: id)
        if let opposite = members.removeValue(forKey: key) {
            steps[opposite] = nil
            return
        }
        members[key] = steps.count
        if case .added(_, let relationship, _) = step, relationship.isOrdered {
            additions[relation, default: []].append(steps.count)
        }
        steps.append(step)
    }

    /// Makes one step of the change of an order and of the additions before it.
    private mutating func addOrder(
        of object: ManagedObject, _ relationship: RelationshipBinding, former: [ObjectID]
    ) {
        var added: Set<ObjectID> = []
        for index in additions.removeValue(forKey: Self.key(object, relationship)) ?? [] {
            if case .added(_, _, let id) = steps[index] { added.insert(id) }
            steps[index] = nil
        }
        let before = added.isEmpty ? former : former.filter { !added.contains($0) }
        let change = OrderChange(from: before, to: object.knownMembers(relationship).current)
        if !change.isEmpty { steps.append(.order(object, relationship, change)) }
    }

    private static func key(
        _ object: ManagedObject, _ relationship: RelationshipBinding
    ) -> RelationKey {
        RelationKey(object: ObjectIdentifier(object), slot: relationship.storage.objectSlot)
    }
}
