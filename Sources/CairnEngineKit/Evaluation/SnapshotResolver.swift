import CairnModel
import CairnRows
import CairnStore
import Foundation

/// Follows relationships in a snapshot for an evaluator, and caches what it has read.
///
/// ``prefetch(_:for:)`` reads what a predicate or sort will follow for a whole batch of rows, with
/// one call to the snapshot for each step of each path. Without it, every step of every row is a
/// call. The resolver is used by one thread at a time.
package final class SnapshotResolver: RowResolver {
    private struct Owner: Hashable {
        let relationship: Relationship
        let id: ObjectID
    }

    private let snapshot: any StoreSnapshot
    private let layouts: RowLayouts
    private var rows: [ObjectID: Row?] = [:]
    private var members: [Owner: [ObjectID]] = [:]
    /// The rows to which references lead, by the key.
    private var targets: [Attribute: [Value: Row?]] = [:]

    /// Creates a resolver that reads from the snapshot and keeps it alive.
    package init(_ snapshot: any StoreSnapshot, layouts: RowLayouts) {
        self.snapshot = snapshot
        self.layouts = layouts
    }

    /// Returns the row of each ID. Reads all rows that are not cached with one call.
    package func rows(for ids: [ObjectID]) throws(StoreError) -> [Row?] {
        try load(ids)
        return ids.map { rows[$0] ?? nil }
    }

    /// Returns the members of a to-many relationship of the row. Makes one call if they are not
    /// cached.
    package func members(
        of relationship: Relationship, in row: Row
    ) throws(StoreError) -> [ObjectID] {
        try loadMembers(of: relationship, [row.id])
        return members[Owner(relationship: relationship, id: row.id)] ?? []
    }

    /// Returns the row to which a reference with this key leads. Looks it up if it is not cached.
    /// Returns `nil` if there is no such row, or if the snapshot does not follow references.
    package func row(
        referredToBy reference: Attribute, key: Value
    ) throws(StoreError) -> Row? {
        if let known = targets[reference]?[key] { return known }
        try loadTargets(of: reference, [key])
        return targets[reference]?[key] ?? nil
    }

    /// Returns the bytes that a row stores outside of itself. They are not cached.
    package func externalData(_ reference: ExternalReference) throws(StoreError) -> Data {
        try snapshot.externalData(reference)
    }

    /// Empties the cache, so that a long scan does not keep the whole store in memory.
    package func forget() {
        rows.removeAll(keepingCapacity: true)
        members.removeAll(keepingCapacity: true)
        targets.removeAll(keepingCapacity: true)
    }

    /// Reads the rows and members that the paths lead to from the given rows, in batches. This
    /// affects only the speed.
    ///
    /// - Throws: the errors of the snapshot.
    package func prefetch(_ paths: [BoundPath], for batch: RowBatch) throws(StoreError) {
        for path in paths where path.start == .evaluatedObject && path.leadsToOtherRows {
            var current = Array(batch.rows)
            for (index, relationship) in path.relationships.enumerated() {
                let isLast = index == path.relationships.count - 1
                var ids: [ObjectID] = []
                if relationship.isToMany {
                    let owners = current.map(\.id)
                    try loadMembers(of: relationship, owners)
                    for owner in owners {
                        ids += members[Owner(relationship: relationship, id: owner)] ?? []
                    }
                } else {
                    let source = RowSource(layouts: layouts, resolver: self)
                    for row in current {
                        if let id = try source.destination(of: relationship, in: row) {
                            ids.append(id)
                        }
                    }
                }
                if isLast, path.leaf == .object { break }
                try load(ids)
                current = ids.compactMap { rows[$0] ?? nil }
            }
            if case .referenced(let reference, let rest) = path.leaf {
                try prefetch(rest, over: reference, from: current)
            }
        }
    }

    private func prefetch(
        _ rest: BoundPath, over reference: Attribute, from current: [Row]
    ) throws(StoreError) {
        let source = RowSource(layouts: layouts, resolver: self)
        var keys: [Value] = []
        for row in current { keys.append(try source.value(of: reference, in: row)) }
        try loadTargets(of: reference, keys)
        let known = targets[reference] ?? [:]
        if rest.leadsToOtherRows {
            try prefetch([rest], for: RowBatch(Set(keys).compactMap { known[$0] ?? nil }))
        }
    }

    private func loadTargets(of reference: Attribute, _ keys: [Value]) throws(StoreError) {
        guard let snapshot = snapshot as? any ReferenceFollowing else { return }
        let missing = Set(keys).filter { targets[reference]?[$0] == nil && !$0.isNull }
        guard !missing.isEmpty else { return }
        let found = try snapshot.rows(referredToBy: reference, keys: Array(missing))
        for key in missing { targets[reference, default: [:]].updateValue(found[key], forKey: key) }
    }

    private func load(_ ids: [ObjectID]) throws(StoreError) {
        let missing = Set(ids).filter { rows[$0] == nil }
        guard !missing.isEmpty else { return }
        let batch = try snapshot.rows(for: Array(missing))
        for id in missing { rows.updateValue(nil, forKey: id) }
        for row in batch.rows { rows.updateValue(row, forKey: row.id) }
    }

    private func loadMembers(
        of relationship: Relationship, _ owners: [ObjectID]
    ) throws(StoreError) {
        let missing = Array(
            Set(owners).filter { members[Owner(relationship: relationship, id: $0)] == nil })
        guard !missing.isEmpty else { return }
        let related = try snapshot.relatedIDs(relationship, of: missing)
        for (index, owner) in missing.enumerated() where index < related.count {
            members[Owner(relationship: relationship, id: owner)] = Array(
                related.members[related.range(ofOwnerAt: index)])
        }
    }
}

/// A snapshot of all stores to which references lead from its rows.
package protocol ReferenceFollowing: StoreSnapshot {
    /// Returns the rows to which a reference with these keys leads, by the key. Keys that lead nowhere
    /// are left out.
    func rows(
        referredToBy reference: Attribute, keys: [Value]
    ) throws(StoreError) -> [Value: Row]
}

extension BoundPath {
    fileprivate var leadsToOtherRows: Bool { !relationships.isEmpty || followsReference }
}

/// Finds other rows for an evaluator that follows relationships.
///
/// All results must be from the same state of the store as the tested rows.
public protocol RowResolver {
    /// Returns the row of each ID, in the order of `ids`, with `nil` for IDs without a row.
    func rows(for ids: [ObjectID]) throws(StoreError) -> [Row?]

    /// Returns the members of a to-many relationship of the row, in its order, or sorted by key if
    /// it is unordered.
    func members(of relationship: Relationship, in row: Row) throws(StoreError) -> [ObjectID]

    /// Returns the bytes that a row stores outside of itself.
    func externalData(_ reference: ExternalReference) throws(StoreError) -> Data
}
