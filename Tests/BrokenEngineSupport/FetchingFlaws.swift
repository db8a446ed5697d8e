import CairnModel
import CairnStore

extension Flaw {
    static let ofReading: [Flaw] = [
        Flaw("has rows for unknown IDs", noticedBy: "reading") {
            $0.found = { (batch, ids, packing) in
                guard let row = batch.rows.first(where: { _ in true }) else { return batch }
                let missing = ids.filter { id in
                    id.rootEntity == row.rootEntity && !batch.ids.contains(id)
                }
                return RowBatch(batch.rows + missing.map { packing.copy(of: row, key: $0.key) })
            }
        },
        Flaw("finds rows only under their concrete entity", noticedBy: "reading") {
            $0.found = { (batch, ids, _) in
                let entities = Set(ids.map(\.entity))
                return RowBatch(batch.rows.filter { entities.contains($0.entity) })
            }
        },
        Flaw("has another row for an ID that is asked for alone", noticedBy: "reading") {
            $0.foundAlone = { row, packing in row.map { packing.copy(of: $0, key: $0.key + 1) } }
        },
        Flaw("has no row for an ID that is asked for alone", noticedBy: "reading") {
            $0.foundAlone = { _, _ in nil }
        },
        Flaw("ends with an empty batch", noticedBy: "reading") {
            $0.batchSize = { $0 == 11 ? 0 : $0 }
        },
        Flaw("gives more rows than were asked for", noticedBy: "reading") {
            $0.batchSize = { $0 * 2 }
        },
        Flaw("loses the last row of a fetch", noticedBy: "reading") {
            $0.answered = { (answer, _, _) in answer.slice(0..<max(0, answer.count - 1)) }
        },
        Flaw("ignores includesSubentities", noticedBy: "reading") {
            $0.asked = { $0.includesSubentities = true }
        },
        Flaw("gives rows where IDs are wanted", noticedBy: "reading") {
            $0.asked = { $0.output = .rows }
        },
    ]

    static let ofFetching: [Flaw] = [
        Flaw("puts nil last", noticedBy: "fetching") {
            $0.answered = { (answer, plan, packing) in
                guard let sort = plan.sorts.first, sort.isAscending, plan.output == .rows,
                    case .attribute(let attribute) = sort.path.leaf,
                    sort.path.relationships.isEmpty
                else { return answer }
                let isNull = { packing.value(attribute.name, of: answer[row: $0]).isNull }
                let indices = answer.rowIndices
                return answer.selecting(indices.filter { !isNull($0) } + indices.filter(isNull))
            }
        },
        Flaw("turns ties around", noticedBy: "fetching") {
            $0.answered = { (answer, plan, _) in
                plan.sorts.first?.path.leaf == .object
                    ? answer.selecting(Array((0..<answer.count).reversed())) : answer
            }
        },
        Flaw("ignores the second sort", noticedBy: "fetching") {
            $0.asked = { $0.sorts = Array($0.sorts.prefix(1)) }
        },
        Flaw("compares text without case", noticedBy: "fetching") {
            $0.asked = { plan in
                plan.predicate = plan.predicate?.mapped { comparison in
                    var comparison = comparison
                    comparison.options.insert(.caseInsensitive)
                    return .comparison(comparison)
                }
            }
        },
        Flaw("takes <= for <", noticedBy: "fetching") {
            $0.asked = { plan in
                plan.predicate = plan.predicate?.mapped { comparison in
                    var comparison = comparison
                    if comparison.operator == .lessThanOrEqual { comparison.operator = .lessThan }
                    return .comparison(comparison)
                }
            }
        },
        Flaw("takes CONTAINS for BEGINSWITH", noticedBy: "fetching") {
            $0.asked = { plan in
                plan.predicate = plan.predicate?.mapped { comparison in
                    var comparison = comparison
                    if comparison.operator == .contains { comparison.operator = .beginsWith }
                    return .comparison(comparison)
                }
            }
        },
        Flaw("takes nil as unknown, as SQL does", noticedBy: "fetching") {
            $0.asked = { plan in
                plan.predicate = plan.predicate?.mapped { comparison in
                    guard comparison.operator == .notEqual,
                        comparison.right != .constant(.null), comparison.modifier == .direct
                    else { return .comparison(comparison) }
                    let known = BoundComparison(comparison.left, .notEqual, .constant(.null))
                    return .and([.comparison(comparison), .comparison(known)])
                }
            }
        },
        Flaw("claims a predicate that it does not evaluate", noticedBy: "fetching") {
            $0.asked = { $0.predicate = nil }
        },
        Flaw("forgets a conjunct of what remains", noticedBy: "fetching") {
            $0.asked = { $0.predicate = nil }
            $0.claimed = { completed, plan in
                guard case .and(let parts)? = plan.predicate else {
                    return completed.remainingPredicate = plan.predicate
                }
                completed.remainingPredicate = .and(Array(parts.dropLast()))
            }
        },
        Flaw("applies the limit before the rest of the predicate", noticedBy: "fetching") {
            $0.asked = { plan in
                plan.predicate = nil
                plan.sorts = []
            }
            $0.claimed = { completed, plan in
                completed = CompletedStages(
                    remainingPredicate: plan.predicate, isSorted: plan.sorts.isEmpty,
                    isPaged: plan.offset == 0 && plan.limit == nil)
            }
        },
        Flaw("claims to have paged what it has not filtered", noticedBy: "fetching") {
            $0.asked = { $0.predicate = nil }
            $0.claimed = { completed, plan in completed.remainingPredicate = plan.predicate }
        },
        Flaw("counts one too many", noticedBy: "fetching") {
            $0.counted = { count, plan in plan.predicate == nil ? count : count + 1 }
        },
        Flaw("counts without offset and limit", noticedBy: "fetching") {
            $0.asked = { plan in if plan.sorts.isEmpty { (plan.offset, plan.limit) = (0, nil) } }
        },
        Flaw("passes over one match too few", noticedBy: "fetching") {
            $0.asked = { $0.offset = max(0, $0.offset - 1) }
        },
    ]

    static let ofRelationships: [Flaw] = [
        Flaw("forgets the last ordered move", noticedBy: "relationships") {
            $0.requested = { (request, _) in
                let last = request.pairs.lastIndex { $0.kind == .reorder }
                if let last { request.pairs.remove(at: last) }
            }
        },
        Flaw("forgets pairs that are deleted", noticedBy: "relationships") {
            $0.requested = { (request, _) in request.pairs.removeAll { $0.kind == .delete } }
        },
        Flaw("finds many-to-many from one side only", noticedBy: "relationships") {
            $0.related = { related, relationship in
                guard relationship.isManyToMany, !relationship.ownsPairs else { return related }
                return related.mapped { _ in [] }
            }
        },
        Flaw("gives ordered members by key", noticedBy: "relationships") {
            $0.related = { related, relationship in
                guard relationship.isOrdered else { return related }
                return related.mapped { $0.sorted { $0.member.key < $1.member.key } }
            }
        },
        Flaw("gives members without an owner to the next one", noticedBy: "relationships") {
            $0.related = { related, _ in
                var compact = RelatedIDs()
                for index in 0..<related.count where !related.range(ofOwnerAt: index).isEmpty {
                    for position in related.range(ofOwnerAt: index) {
                        compact.append(
                            related.members[position],
                            orderKey: related.orderKeys.isEmpty ? nil : related.orderKeys[position])
                    }
                    compact.endOwner()
                }
                while compact.count < related.count { compact.endOwner() }
                return compact
            }
        },
        Flaw("loses to-ones", noticedBy: "relationships") {
            $0.requested = { (request, packing) in
                request.inserted = packing.changed(request.inserted) { value in
                    if case .objectID = value { .null } else { value }
                }
            }
        },
    ]

    static let ofCalls: [Flaw] = [
        Flaw("wants calls without IDs", noticedBy: "reading") {
            $0.preferred = { $0.idsPerCall = 0 }
        },
        Flaw("wants batches without rows", noticedBy: "reading") {
            $0.preferred = { $0.rowsPerBatch = 0 }
        },
        Flaw("finds nothing after the deadline", noticedBy: "reading") {
            $0.lateness = .answersNothing
        },
        Flaw("answers questions the other way round", noticedBy: "relationships") {
            $0.answeredTogether = { $0.members.reverse() }
        },
        Flaw("sends rows of members twice", noticedBy: "relationships") {
            $0.answeredTogether = { $0.rows.append($0.rows) }
        },
        Flaw("finds nothing once a snapshot has ended", noticedBy: "snapshots") {
            $0.ending = .answersNothing
        },
        Flaw("ends another snapshot when one ends again", noticedBy: "snapshots") {
            $0.ending = .endsTheNewest
        },
        Flaw("leaves deleted objects out of the changes", noticedBy: "snapshots") {
            $0.changed = { $0.deleted = [] }
        },
        Flaw("leaves changed objects out of the changes", noticedBy: "snapshots") {
            $0.changed = { $0.updated = [] }
        },
        Flaw("leaves new objects out of the changes", noticedBy: "snapshots") {
            $0.changed = { $0.inserted = [] }
        },
    ]

    static let ofSnapshots: [Flaw] = [
        Flaw("shows later saves in a snapshot", noticedBy: "snapshots") {
            $0.snapshots = .showTheNewest
        },
        Flaw("shows the first state for ever", noticedBy: "snapshots") {
            $0.snapshots = .showTheFirst
        },
        Flaw("does not raise the generation", noticedBy: "snapshots") {
            $0.generation = { _ in StoreGeneration(1) }
        },
        Flaw("lets the generation fall", noticedBy: "snapshots") {
            $0.generation = { StoreGeneration(1000 - min(999, $0.rawValue)) }
        },
        Flaw("lets threads overwrite each other's changes", noticedBy: "concurrency") {
            $0.requested = { (request, packing) throws(StoreError) in
                for index in request.updated.indices {
                    let row = request.updated[index].row
                    guard let version = try packing.stored(row.id)?.version else { continue }
                    request.updated[index].previousVersion = version
                    request.updated[index].row = packing.copy(of: row, version: version + 1) {
                        $0 == 40 ? 39 : $0
                    }
                }
            }
        },
    ]
}

extension BoundPredicate {
    /// The predicate with each comparison replaced.
    func mapped(_ change: (BoundComparison) -> BoundPredicate) -> BoundPredicate {
        switch self {
        case .constant: self
        case .comparison(let comparison): change(comparison)
        case .and(let parts): .and(parts.map { $0.mapped(change) })
        case .or(let parts): .or(parts.map { $0.mapped(change) })
        case .not(let part): .not(part.mapped(change))
        }
    }
}

extension RelatedIDs {
    /// The same owners with other members.
    func mapped(
        _ change: ([(member: ObjectID, orderKey: Int64?)]) -> [(member: ObjectID, orderKey: Int64?)]
    ) -> RelatedIDs {
        var result = RelatedIDs()
        for index in 0..<count {
            let old = range(ofOwnerAt: index).map { position in
                (member: members[position], orderKey: orderKeys.isEmpty ? nil : orderKeys[position])
            }
            for (member, orderKey) in change(old) { result.append(member, orderKey: orderKey) }
            result.endOwner()
        }
        return result
    }
}
