import CairnModel

extension Flaw {
    static let ofPairs: [Flaw] = [
        Flaw("removes pairs before it adds any") {
            $0.requested = { (request, _) in
                request.pairs =
                    request.pairs.filter { $0.kind == .delete }
                    + request.pairs.filter { $0.kind != .delete }
            }
        },
        Flaw("adds pairs before it removes any") {
            $0.requested = { (request, _) in
                request.pairs =
                    request.pairs.filter { $0.kind != .delete }
                    + request.pairs.filter { $0.kind == .delete }
            }
        },
        Flaw("adds a pair that is only to be reordered") {
            $0.requested = { (request, _) in
                for index in request.pairs.indices where request.pairs[index].kind == .reorder {
                    request.pairs[index].kind = .insert
                }
            }
        },
        Flaw("turns members with equal order keys around") {
            $0.related = { related, relationship in
                guard relationship.isOrdered else { return related }
                return related.mapped { members in
                    members.sorted { left, right in
                        (left.orderKey ?? 0, -left.member.key)
                            < (right.orderKey ?? 0, -right.member.key)
                    }
                }
            }
        },
        Flaw("cuts order keys to 32 bits") {
            $0.requested = { (request, _) in
                for index in request.pairs.indices {
                    request.pairs[index].orderKey = request.pairs[index].orderKey.map {
                        Int64(Int32(truncatingIfNeeded: $0))
                    }
                }
            }
        },
        Flaw("loses the concrete entity of a to-one's destination") {
            $0.requested = { (request, packing) in
                request.inserted = packing.changed(request.inserted) { value in
                    guard case .objectID(let id) = value else { return value }
                    return .objectID(id.ofRoot)
                }
            }
        },
        Flaw("gives members of pairs the root entity") {
            $0.related = { related, relationship in
                guard relationship.isManyToMany else { return related }
                return related.mapped {
                    $0.map { (member: $0.member.ofRoot, orderKey: $0.orderKey) }
                }
            }
        },
        Flaw("gives members of one-to-manys the root entity") {
            $0.related = { related, relationship in
                guard !relationship.isManyToMany, !relationship.isOrdered else { return related }
                return related.mapped {
                    $0.map { (member: $0.member.ofRoot, orderKey: $0.orderKey) }
                }
            }
        },
    ]
}

extension ObjectID {
    /// The ID of the same object with its root entity as its entity.
    fileprivate var ofRoot: ObjectID {
        ObjectID(store: store, rootEntity: rootEntity, entity: rootEntity, key: key)
    }
}
