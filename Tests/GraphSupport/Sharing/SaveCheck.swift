import Cairn

/// Checks that a save changed what it should, and nothing else: compares the stored contents before and after
/// it with the changes that the context reported before the save.
package struct SaveCheck {
    package let model: SharedModel
    package let policy: ConflictPolicy
    /// The entities of all objects that were ever stored, by number.
    package let entities: [Int: String]
    package let before: StoredContent
    package let after: StoredContent
    /// What the editor did since its last save.
    package let pending: PendingEdits
    /// The changes that the context reported, by number.
    package let changes: [Int: SharedChange]
    /// The values that the context had read of the objects with conflicts, by number.
    package let conflicts: [Int: [String: SharedValue]]
    /// The objects of conflicts between references.
    package let references: Set<Int>
    /// Whether nobody else has saved since the context read its first object.
    package let isAlone: Bool

    package init(
        model: SharedModel, policy: ConflictPolicy, entities: [Int: String],
        before: StoredContent, after: StoredContent,
        pending: PendingEdits, changes: [Int: SharedChange],
        conflicts: [Int: [String: SharedValue]],
        references: Set<Int>, isAlone: Bool
    ) {
        self.model = model
        self.policy = policy
        self.entities = entities
        self.before = before
        self.after = after
        self.pending = pending
        self.changes = changes
        self.conflicts = conflicts
        self.references = references
        self.isAlone = isAlone
    }

    /// Whether the policy resolved anything.
    private var isResolved: Bool { !conflicts.isEmpty || !references.isEmpty }

    private var removed: Set<Int> { Set(before.objects.keys).subtracting(after.objects.keys) }

    /// Returns what the save should not have done.
    package func problems() -> [String] {
        let removed = removed
        var found = insertionProblems() + removalProblems(removed) + denialProblems(removed)
        for (number, old) in before.objects {
            guard let new = after.objects[number],
                let entity = model.model.entity(named: old.entity)
            else {
                continue
            }
            for property in entity.properties {
                switch property {
                case .attribute: found += attributeProblems(number, property.name, old, new)
                case .relationship(let relationship):
                    found +=
                        relationship.isToMany
                        ? memberProblems(number, relationship, old, new, removed)
                        : destinationProblems(number, relationship, old, new, removed)
                default: break
                }
            }
            if new.version != old.version, changes[number] == nil, !isResolved,
                new.attributes == old.attributes, new.ones == old.ones, new.manys == old.manys
            {
                found.append("\(number) has another version, but nobody changed it")
            }
            if new.store != old.store {
                if pending.transfers.isEmpty {
                    found.append("\(number) moved, but nobody moved it")
                }
            } else if new.version < old.version {
                found.append("the version of \(number) decreased")
            }
        }
        if !isResolved, pending.transfers.count == 1,
            let (number, store) = pending.transfers.first, let new = after.objects[number],
            new.store != store
        {
            found.append("\(number) did not move to the store \(store)")
        }
        return found
    }

    // MARK: Objects

    private func insertionProblems() -> [String] {
        var found: [String] = []
        for number in after.objects.keys where before.objects[number] == nil {
            let isRestored =
                (conflicts[number] != nil || references.contains(number))
                && [.objectTrump, .overwrite].contains(policy)
            if changes[number]?.kind != .inserted, !isRestored {
                found.append("\(number) appeared")
            }
        }
        for (number, change) in changes where !isResolved {
            switch change.kind {
            case .inserted:
                if after.objects[number] == nil {
                    found.append("the new object \(number) is not stored")
                }
            case .updated: break
            case .deleted:
                if after.objects[number] != nil {
                    found.append("\(number) was deleted, but is stored")
                }
            }
        }
        for number in conflicts.keys where references.isEmpty {
            let isDeleted = changes[number]?.kind == .deleted
            // A cascade leaves members that others moved.
            if isDeleted, !pending.deleted.contains(number) { continue }
            // A cascade takes members that others added.
            if after.objects[number] == nil,
                removed.contains(where: { cascades(from: $0, to: number) })
            {
                continue
            }
            switch policy {
            case .objectTrump, .overwrite, .error:
                if isDeleted == (after.objects[number] != nil) {
                    found.append(
                        "the context's \(isDeleted ? "deletion" : "version") of \(number) lost")
                }
            case .storeTrump, .rollback:
                if (before.objects[number] != nil) != (after.objects[number] != nil) {
                    found.append(
                        "the stored state of \(number) lost: it is \(after.objects[number] == nil ? "deleted" : "restored")"
                    )
                }
            }
        }
        return found
    }

    /// Every removed object must have been deleted by the program, or by the cascade of a removed object
    /// that it belonged to.
    private func removalProblems(_ removed: Set<Int>) -> [String] {
        // New objects that were deleted before the save cascade, too.
        var explained = pending.deleted
        var isGrowing = true
        while isGrowing {
            isGrowing = false
            for number in removed.subtracting(explained)
            where explained.contains(where: { cascades(from: $0, to: number) }) {
                explained.insert(number)
                isGrowing = true
            }
        }
        return removed.subtracting(explained).sorted().map {
            "\($0) was removed, although nothing that it belongs to was deleted"
        }
    }

    private func cascades(from owner: Int, to member: Int) -> Bool {
        let object = before.objects[owner]
        let name = entities[owner] ?? pending.inserted[owner]?.entity
        guard let entity = name.flatMap(model.model.entity(named:)) else { return false }
        return entity.relationships.contains { relationship in
            guard relationship.deleteRule == .cascade else { return false }
            let isStored = object?.leads(to: member, by: relationship.name) ?? false
            guard let inverse = relationship.inverse else { return isStored }
            let move = pending.moves[PendingEdits.End(member, inverse.name)]
            let own = changes[member]?.values[inverse.name]
            if move == owner || own == .object(.number(owner)) { return true }
            // The program moved the member away before it deleted the owner.
            if !isResolved, let move, move != owner { return false }
            return isStored
        }
    }

    private func denialProblems(_ removed: Set<Int>) -> [String] {
        var found: [String] = []
        for owner in removed {
            guard let object = before.objects[owner],
                let entity = model.model.entity(named: object.entity)
            else { continue }
            for relationship in entity.relationships where relationship.deleteRule == .deny {
                guard let inverse = relationship.inverse else { continue }
                for case .number(let member) in object.destinations(relationship.name)
                where after.objects[member] != nil && changes[member]?.values[inverse.name] == nil {
                    found.append(
                        "\(owner) was removed, although \(relationship.name) has \(member) and denies it"
                    )
                }
            }
        }
        return found
    }

    // MARK: Values

    private func attributeProblems(
        _ number: Int, _ name: String, _ old: StoredContent.Object, _ new: StoredContent.Object
    ) -> [String] {
        let expected = expected(number, name, old.value(name))
        if new.value(name) == expected { return [] }
        // The deletion of a changed object may have been taken back.
        if changes[number]?.kind == .deleted, new.value(name) == old.value(name) { return [] }
        return ["\(number).\(name) is \(new.value(name)), should be \(expected)"]
    }

    /// Returns the value that the policy gives a property.
    private func expected(_ number: Int, _ name: String, _ stored: SharedValue) -> SharedValue {
        let own = changes[number]?.values[name]
        guard let read = conflicts[number] else { return own ?? stored }
        switch policy {
        case .error, .objectTrump: return own ?? stored
        case .overwrite: return own ?? read[name] ?? stored
        case .storeTrump: return read[name] == stored ? own ?? stored : stored
        case .rollback: return stored
        }
    }

    private func destinationProblems(
        _ number: Int, _ relationship: Relationship, _ old: StoredContent.Object,
        _ new: StoredContent.Object, _ removed: Set<Int>
    ) -> [String] {
        let name = relationship.name
        let (former, value) = (old.value(name), new.value(name))
        let expected = expected(number, name, former)
        let own = changes[number]?.values[name]
        if case .object(.number(let owner)) = former, removed.contains(owner),
            let inverse = relationship.inverse, own == nil
        {
            let isOverwritten =
                policy == .overwrite && conflicts[number].map { $0[name] ?? .null == value } == true
            if inverse.deleteRule == .cascade, !isOverwritten {
                return ["\(number) survived the cascade of its \(name) \(owner)"]
            }
            if inverse.deleteRule == .nullify {
                return value == .null ? [] : lost(number, name, value, .null)
            }
        }
        if value == expected { return [] }
        // Both sides of a one-to-one, and the destinations of removed objects, change with other objects.
        if isResolved {
            if relationship.inverse?.isToMany != true { return [] }
            if case .object(.number(let other)) = expected, after.objects[other] == nil {
                return []
            }
            if case .object(.uri) = expected { return [] }
            let move = pending.moves[PendingEdits.End(number, name)]
            if !references.isEmpty, [former, .null, own].contains(value) { return [] }
            if let move, value == .object(.number(move)) { return [] }
            if changes[number]?.kind == .deleted, value == former { return [] }
        }
        return lost(number, name, value, expected)
    }

    private func lost(
        _ number: Int, _ name: String, _ value: SharedValue, _ expected: SharedValue
    ) -> [String] {
        ["\(number).\(name) is \(value), should be \(expected)"]
    }

    // MARK: Members

    /// Members of a relationship whose inverse is to-one follow from that inverse.
    private func memberProblems(
        _ number: Int, _ relationship: Relationship, _ old: StoredContent.Object,
        _ new: StoredContent.Object, _ removed: Set<Int>
    ) -> [String] {
        let name = relationship.name
        let (former, members) = (old.destinations(name), new.destinations(name))
        var found: [String] = []
        if relationship.isOrdered, !pending.arranged.contains(number), !isResolved {
            let kept = former.filter(members.contains)
            if kept != members.filter(kept.contains) {
                found.append(
                    "the order of \(number).\(name) became \(members), nobody changed \(former)")
            }
        }
        guard relationship.isManyToMany else { return found }
        for member in Set(former).symmetricDifference(members) {
            guard case .number(let other) = member else { continue }
            if removed.contains(other) || before.objects[other] == nil { continue }
            if pending.pair(number, name, other, relationship.inverse?.name) == nil, !isResolved {
                found.append("the pair \(number).\(name) \(other) changed")
            }
        }
        guard isAlone else { return found }
        for (pair, isMember) in pending.pairs where pair.owner == number && pair.name == name {
            guard after.objects[pair.member] != nil else { continue }
            // Cached rows may be older than a reset. A conflict follows, and the store's state may be chosen.
            let hasConflict = conflicts[pair.owner] != nil || conflicts[pair.member] != nil
            if hasConflict, [.storeTrump, .rollback].contains(policy) { continue }
            if members.contains(.number(pair.member)) != isMember {
                found.append(
                    "the pair \(number).\(name) \(pair.member) is \(isMember ? "lost" : "still there")"
                )
            }
        }
        return found
    }
}

/// The edits of an editor since its last save that decide what the save may do.
package struct PendingEdits: Sendable {
    package struct End: Hashable, Sendable {
        package let number: Int
        package let name: String

        package init(_ number: Int, _ name: String) { (self.number, self.name) = (number, name) }
    }

    package struct Pair: Hashable, Sendable {
        package let owner: Int
        package let name: String
        package let member: Int
    }

    /// The entities and stores of new objects.
    package var inserted: [Int: (entity: String, store: Int)] = [:]
    package var deleted: Set<Int> = []
    /// The destinations that the program gave to to-one relationships, other than `nil`.
    package var moves: [End: Int] = [:]
    package var pairs: [Pair: Bool] = [:]
    /// The owners whose ordered members were changed.
    package var arranged: Set<Int> = []
    /// The stores to which objects move, with what they own.
    package var transfers: [Int: Int] = [:]

    package init() {}

    func pair(_ owner: Int, _ name: String, _ member: Int, _ inverse: String?) -> Bool? {
        pairs[Pair(owner: owner, name: name, member: member)]
            ?? inverse.flatMap { pairs[Pair(owner: member, name: $0, member: owner)] }
    }

    /// Records an edit that was made.
    package mutating func note(_ edit: SharedEdit, _ entity: (Int) -> Entity?) {
        switch edit {
        case .insert(let number, let name, let store, let links):
            inserted[number] = (name, store ?? 0)
            for (relationship, owner) in links {
                noteMove(of: number, relationship, to: owner, entity(number))
            }
            arranged.formUnion(links.values)
        case .setOne(let number, let name, let owner):
            noteMove(of: number, name, to: owner, entity(number))
            if let owner { arranged.insert(owner) }
        case .add(let owner, let name, let member), .remove(let owner, let name, let member):
            guard let relationship = entity(owner)?.relationship(named: name) else { return }
            arranged.insert(owner)
            let isAdded = if case .add = edit { true } else { false }
            if relationship.isManyToMany {
                pairs[Pair(owner: owner, name: name, member: member)] = isAdded
                if let inverse = relationship.inverse {
                    pairs[Pair(owner: member, name: inverse.name, member: owner)] = isAdded
                }
            } else if let inverse = relationship.inverse {
                let end = End(member, inverse.name)
                if isAdded {
                    moves[end] = owner
                } else if moves[end] == owner {
                    moves[end] = nil
                }
            }
        case .rotate(let owner, _): arranged.insert(owner)
        case .delete(let number): deleted.insert(number)
        case .move(let number, let store):
            transfers[number] = store
            inserted[number]?.store = store
        case .set, .read, .readMembers, .fetch: break
        }
    }

    /// Records the destination of a to-one relationship at both ends, if both are to-one.
    private mutating func noteMove(
        of number: Int, _ name: String, to owner: Int?, _ entity: Entity?
    ) {
        moves[End(number, name)] = owner
        guard let owner, let inverse = entity?.relationship(named: name)?.inverse, !inverse.isToMany
        else { return }
        moves[End(owner, inverse.name)] = number
    }

    /// Adds the edits of a child.
    package mutating func merge(_ child: PendingEdits) {
        inserted.merge(child.inserted) { $1 }
        deleted.formUnion(child.deleted)
        moves.merge(child.moves) { $1 }
        pairs.merge(child.pairs) { $1 }
        arranged.formUnion(child.arranged)
        transfers.merge(child.transfers) { $1 }
    }
}
