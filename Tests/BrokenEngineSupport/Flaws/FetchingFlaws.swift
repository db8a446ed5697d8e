import CairnModel
import CairnRows
import CairnStore

extension Flaw {
    static let ofFetching: [Flaw] = [
        Flaw("puts nil last") {
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
        Flaw("turns ties around") {
            $0.answered = { (answer, plan, _) in
                plan.sorts.first?.path.leaf == .object
                    ? answer.selecting(Array((0..<answer.count).reversed())) : answer
            }
        },
        Flaw("ignores the second sort") {
            $0.asked = { $0.sorts = Array($0.sorts.prefix(1)) }
        },
        Flaw("compares text without case") {
            $0.asked = { plan in
                plan.predicate = plan.predicate?.mapped { comparison in
                    var comparison = comparison
                    comparison.options.insert(.caseInsensitive)
                    return .comparison(comparison)
                }
            }
        },
        Flaw("takes <= for <") {
            $0.asked = { plan in
                plan.predicate = plan.predicate?.mapped { comparison in
                    var comparison = comparison
                    if comparison.operator == .lessThanOrEqual { comparison.operator = .lessThan }
                    return .comparison(comparison)
                }
            }
        },
        Flaw("takes CONTAINS for BEGINSWITH") {
            $0.asked = { plan in
                plan.predicate = plan.predicate?.mapped { comparison in
                    var comparison = comparison
                    if comparison.operator == .contains { comparison.operator = .beginsWith }
                    return .comparison(comparison)
                }
            }
        },
        Flaw("takes nil as unknown, as SQL does") {
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
        Flaw("claims a predicate that it does not evaluate") {
            $0.asked = { $0.predicate = nil }
        },
        Flaw("forgets a conjunct of what remains") {
            $0.asked = { $0.predicate = nil }
            $0.claimed = { completed, plan in
                guard case .and(let parts)? = plan.predicate else {
                    return completed.remainingPredicate = plan.predicate
                }
                completed.remainingPredicate = .and(Array(parts.dropLast()))
            }
        },
        Flaw("applies the limit before the rest of the predicate") {
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
        Flaw("claims to have paged what it has not filtered") {
            $0.asked = { $0.predicate = nil }
            $0.claimed = { completed, plan in completed.remainingPredicate = plan.predicate }
        },
        Flaw("leaves out the text of a row of which some slots are read") {
            $0.answered = { (answer, plan, packing) in
                guard plan.slots != nil else { return answer }
                return packing.changed(answer) { if case .string = $0 { .null } else { $0 } }
            }
        },
        Flaw("returns no versions with rows of which some slots are read") {
            $0.answered = { (answer, plan, packing) in
                guard plan.slots != nil else { return answer }
                return RowBatch(answer.rows.map { packing.copy(of: $0, version: 0) })
            }
        },
        Flaw("counts one too many") {
            $0.counted = { count, plan in plan.predicate == nil ? count : count + 1 }
        },
        Flaw("counts without offset and limit") {
            $0.asked = { plan in if plan.sorts.isEmpty { (plan.offset, plan.limit) = (0, nil) } }
        },
        Flaw("passes over one match too few") {
            $0.asked = { $0.offset = max(0, $0.offset - 1) }
        },
    ]
}

extension BoundPredicate {
    /// Returns the predicate with each comparison replaced.
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
