import CairnModel
import CairnStore

/// The part of a fetch plan that the server performs: the choice of the entity's objects, and paging if no
/// stage before it is left to the client.
struct SocketFetch {
    let entity: Entity
    let includesSubentities: Bool
    let output: FetchPlan.Output
    let offset: Int
    let limit: Int?

    /// Creates the server's part of a plan. The predicate and the sorts are left to the client, and in that
    /// case also the paging.
    init(_ plan: FetchPlan) {
        let isPaged = Self.isPaged(plan)
        entity = plan.entity
        includesSubentities = plan.includesSubentities
        output = plan.output
        offset = isPaged ? plan.offset : 0
        limit = isPaged ? plan.limit : nil
    }

    init(
        entity: Entity, includesSubentities: Bool, output: FetchPlan.Output, offset: Int,
        limit: Int?
    ) {
        self.entity = entity
        self.includesSubentities = includesSubentities
        self.output = output
        self.offset = offset
        self.limit = limit
    }

    private static func isPaged(_ plan: FetchPlan) -> Bool {
        plan.predicate == nil && plan.sorts.isEmpty || plan.offset == 0 && plan.limit == nil
    }

    /// Returns the stages of the plan that the server completes.
    static func completed(_ plan: FetchPlan) -> CompletedStages {
        CompletedStages(
            remainingPredicate: plan.predicate, isSorted: plan.sorts.isEmpty,
            isPaged: isPaged(plan))
    }

    /// The plan for the server's engine.
    var plan: FetchPlan {
        FetchPlan(
            entity: entity, includesSubentities: includesSubentities, offset: offset, limit: limit,
            output: output)
    }
}

extension MessageWriter {
    mutating func fetch(_ fetch: SocketFetch) {
        integer(fetch.entity.number.rawValue)
        flag(fetch.includesSubentities)
        flag(fetch.output == .ids)
        integer(UInt64(fetch.offset))
        optional(fetch.limit) { $0.integer(UInt64($1)) }
    }
}

extension MessageReader {
    mutating func fetch() throws(MessageDamage) -> SocketFetch {
        let number = EntityNumber(try integer(UInt16.self))
        guard let entity = context.layouts?.model.entity(numbered: number) else {
            throw MessageDamage("the model has no entity \(number.rawValue)")
        }
        return SocketFetch(
            entity: entity, includesSubentities: try flag(), output: try flag() ? .ids : .rows,
            offset: try natural(),
            limit: try optional { reader throws(MessageDamage) in try reader.natural() })
    }
}
