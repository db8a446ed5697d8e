import CairnModel
import CairnRows
import CairnStack

/// Collects the steps of an event and leaves out those that cancel each other, so that every step of an
/// undo is visible.
///
/// Leaves out members that were both added and removed, transient values and orders that returned to
/// their original state, and steps of objects that were both inserted and deleted in the event. One step
/// remains for each other member and transient value. For an order, one step remains for each addition
/// and move, or a single step if the order was changed in other ways.
struct NetSteps {
    private var steps: ContiguousArray<Mutation?> = []
    /// The index of each member's step that no later step has reverted.
    private var members: [MemberKey: Int] = [:]
    /// The additions to ordered relationships, and the moves within them.
    private var orders: [RelationKey: OrderSteps] = [:]
    private var transients: Set<RelationKey> = []
    private let ephemeral: Set<ObjectIdentifier>

    private struct RelationKey: Hashable {
        let object: ObjectIdentifier
        let slot: ObjectSlot?
    }

    private struct MemberKey: Hashable {
        let relation: RelationKey
        let id: ObjectID
    }

    /// - Parameter ephemeral: The objects that were both inserted and deleted in the event.
    init(without ephemeral: Set<ObjectIdentifier>) {
        self.ephemeral = ephemeral
    }

    /// Returns the remaining steps, in the order in which they were made.
    mutating func finished() -> ContiguousArray<Mutation> {
        for (key, order) in orders {
            // An object that left the context has lost its members, so nothing can be compared.
            guard order.object.owner != nil else { continue }
            let members = order.object.knownMembers(order.relationship)
            if order.moveCount > Self.mostMoves {
                replaceSteps(of: order, key, former: members.current)
            } else if order.comesToNothing(in: steps, members) {
                for stepIndex in order.stepIndices { steps[stepIndex] = nil }
            }
        }
        return ContiguousArray(steps.compactMap(\.self))
    }

    /// The maximum number of moves to follow. For more moves, comparing the orders before and after is
    /// cheaper.
    private static let mostMoves = 64

    /// Adds the next step.
    ///
    /// - Parameter formerOrder: For a changed order, the members when it was first changed.
    mutating func add(_ step: Mutation, formerOrder: [ObjectID]) {
        guard !ephemeral.contains(ObjectIdentifier(step.object)) else { return }
        switch step {
        case .added(let object, let relationship, let id),
            .removed(let object, let relationship, let id):
            addMember(id, step, Self.key(object, relationship))
        case .transient(let object, let slot, let former):
            let key = RelationKey(object: ObjectIdentifier(object), slot: slot)
            guard transients.insert(key).inserted else { return }
            // An object that left the context has lost its values.
            if object.owner != nil, object.extraValue(at: slot) == former { return }
            steps.append(step)
        case .moved(let object, let relationship, _, _, _):
            noteOrder(of: object, relationship, moves: true)
            steps.append(step)
        case .order(let object, let relationship, _):
            let key = Self.key(object, relationship)
            let order = orders[key] ?? OrderSteps(object: object, relationship: relationship)
            replaceSteps(of: order, key, former: formerOrder)
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
        if case .added(let object, let relationship, _) = step, relationship.isOrdered {
            noteOrder(of: object, relationship, moves: false)
        }
        steps.append(step)
    }

    /// Records that the next step belongs to an order.
    private mutating func noteOrder(
        of object: ManagedObject, _ relationship: RelationshipBinding, moves: Bool
    ) {
        let new = OrderSteps(object: object, relationship: relationship)
        orders[Self.key(object, relationship), default: new].note(steps.count, moves: moves)
    }

    /// Replaces all steps of one ordered relationship by a single step.
    ///
    /// - Parameter former: The members after those steps.
    private mutating func replaceSteps(
        of order: OrderSteps, _ key: RelationKey, former: [ObjectID]
    ) {
        orders[key] = nil
        let before = order.takenBack(from: former, in: steps)
        for stepIndex in order.stepIndices { steps[stepIndex] = nil }
        let change = OrderChange(
            from: before, to: order.object.knownMembers(order.relationship).current)
        if !change.isEmpty { steps.append(.order(order.object, order.relationship, change)) }
    }

    private static func key(
        _ object: ManagedObject, _ relationship: RelationshipBinding
    ) -> RelationKey {
        RelationKey(object: ObjectIdentifier(object), slot: relationship.storage.objectSlot)
    }
}

/// The additions to one ordered relationship of one object, and the moves within it.
private struct OrderSteps {
    let object: ManagedObject
    let relationship: RelationshipBinding
    /// The indices of the steps.
    private(set) var stepIndices: [Int] = []
    /// The number of moves. The other steps are additions.
    private(set) var moveCount = 0

    init(object: ManagedObject, relationship: RelationshipBinding) {
        self.object = object
        self.relationship = relationship
    }

    mutating func note(_ index: Int, moves: Bool) {
        stepIndices.append(index)
        if moves { moveCount += 1 }
    }

    /// Returns the members before the steps, computed from the members after them.
    func takenBack(from members: [ObjectID], in steps: ContiguousArray<Mutation?>) -> [ObjectID] {
        guard !stepIndices.isEmpty else { return members }
        var order = IndexedOrder(members)
        for stepIndex in stepIndices.reversed() {
            switch steps[stepIndex] {
            case .added(_, _, let id): order.remove(id)
            case .moved(_, _, let id, let from, _): order.move(id, to: from)
            default: break
            }
        }
        return order.elements
    }

    /// Whether the steps leave every member at its original index.
    ///
    /// - Complexity: O(*m*²) for *m* moves, independent of the number of members.
    func comesToNothing(in steps: ContiguousArray<Mutation?>, _ members: MemberIDs) -> Bool {
        guard moveCount == stepIndices.count else { return false }
        var moved: [ObjectID] = []
        for stepIndex in stepIndices {
            guard case .moved(_, _, let id, _, _) = steps[stepIndex] else { continue }
            if !moved.contains(id) { moved.append(id) }
        }
        let now = moved.map { members.index(of: $0) ?? -1 }
        var before = now
        for stepIndex in stepIndices.reversed() {
            guard case .moved(_, _, let id, let from, let to) = steps[stepIndex] else { continue }
            for index in before.indices {
                guard moved[index] != id else {
                    before[index] = from
                    continue
                }
                if before[index] > to { before[index] -= 1 }
                if before[index] >= from { before[index] += 1 }
            }
        }
        return before == now
    }
}
