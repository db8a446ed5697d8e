import CairnModel
import CairnStore

/// Creates the texts for objects and requests in steps.
struct StepText: Sendable {
    let model: ManagedObjectModel

    /// The number of objects that a step lists before it is shortened with “…”.
    private static let limit = 6

    func object(_ id: ObjectID) -> String { "\(entity(id.entity)) \(id.key)" }

    func entity(_ number: EntityNumber) -> String {
        model.entity(numbered: number)?.name ?? "entity \(number.rawValue)"
    }

    func objects(_ ids: [ObjectID]) -> String { list(ids.map(object)) }

    func list(_ texts: [String]) -> String {
        if texts.isEmpty { return "nothing" }
        let more = texts.count > Self.limit ? ", … (\(texts.count) in all)" : ""
        return texts.prefix(Self.limit).joined(separator: ", ") + more
    }

    func counts(_ counts: [EntityNumber: Int]) -> String {
        list(counts.map { "\($0.value) of \(entity($0.key))" })
    }

    func keys(_ keys: [EntityNumber: Range<Int64>]) -> String {
        list(keys.map { "\(entity($0.key)) \($0.value)" })
    }

    func request(_ request: SaveRequest) -> String {
        var parts: [String] = []
        if !request.inserted.isEmpty { parts.append("inserts \(objects(request.inserted.ids))") }
        if !request.updated.isEmpty {
            let updates = request.updated.map {
                "\(object($0.row.id)) from version \($0.previousVersion)"
            }
            parts.append("updates \(list(updates))")
        }
        if !request.deleted.isEmpty {
            parts.append("deletes \(objects(request.deleted.map(\.id)))")
        }
        if !request.pairs.isEmpty { parts.append("pairs \(list(request.pairs.map(pair)))") }
        if !request.metadata.isEmpty {
            parts.append("metadata \(list(request.metadata.keys.sorted()))")
        }
        if let id = request.id { parts.append("the name \(id)") }
        return parts.isEmpty ? "nothing" : parts.joined(separator: "; ")
    }

    private func pair(_ pair: PairChange) -> String {
        let keys = [pair.orderKey, pair.inverseOrderKey].compactMap { $0.map(String.init) }
        return "\(pair.kind) \(pair.relationship.name) of \(object(pair.owner)):"
            + " \(object(pair.member))"
            + (keys.isEmpty ? "" : " at \(keys.joined(separator: " and "))")
    }

    func plan(_ plan: FetchPlan) -> String {
        var text = plan.entity.name
        if let predicate = plan.predicate { text += " where \(predicate)" }
        if !plan.sorts.isEmpty { text += ", \(plan.sorts.count) sort(s)" }
        if plan.offset > 0 { text += ", offset \(plan.offset)" }
        if let limit = plan.limit { text += ", limit \(limit)" }
        return text
    }
}
