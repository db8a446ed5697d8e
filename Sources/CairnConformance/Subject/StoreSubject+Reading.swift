import CairnModel
import CairnRows
import CairnStore
import Foundation

extension StoreSubject {
    /// Returns the plan of a fetch with its names resolved.
    ///
    /// - Parameters:
    ///   - entity: The name of the entity in the kit's model.
    ///   - format: The predicate as text. `nil` means no predicate.
    ///   - sorts: The key paths to sort by, each with whether the order is ascending.
    ///   - offset: The number of matches to skip.
    ///   - limit: The maximum number of results, or `nil` for no limit.
    ///   - includesSubentities: Whether objects of subentities also match.
    ///   - output: What the fetch returns: rows, or only IDs.
    package func plan(
        _ entity: String, _ format: String? = nil, sorts: [(String, Bool)] = [], offset: Int = 0,
        limit: Int? = nil, includesSubentities: Bool = true, output: FetchPlan.Output = .rows
    ) throws -> FetchPlan {
        let entity = try self.entity(entity)
        let predicate = try format.map { try FetchPredicate(format: $0).bound(to: entity) }
        let sorts = try sorts.map {
            BoundSort(try BoundPath(keyPath: $0.0, entity: entity), isAscending: $0.1)
        }
        return FetchPlan(
            entity: entity, includesSubentities: includesSubentities, predicate: predicate,
            sorts: sorts, offset: offset, limit: limit, output: output)
    }

    /// Reads a cursor to its end.
    ///
    /// - Throws: ``RuleViolation`` if a batch is empty, is too large, or comes after the end.
    package func drain(_ cursor: any RowCursor, atMost count: Int = 7) throws -> RowBatch {
        var all = RowBatch()
        while let batch = try cursor.next(atMost: count) {
            try require(!batch.isEmpty, "a cursor never returns an empty batch")
            try require(
                batch.count <= count, "a batch contains at most as many objects as requested")
            all.append(batch)
        }
        try require(
            try cursor.next(atMost: count) == nil,
            "a cursor that has reached its end returns nil again")
        return all
    }

    /// Returns the IDs of a plan's results, in the plan's order. Stages that the engine did not complete
    /// are completed here.
    ///
    /// - Parameters:
    ///   - plan: The fetch.
    ///   - snapshot: The snapshot to read. If `nil`, a new snapshot is read.
    ///   - count: The maximum number of rows in a batch of the cursor.
    /// - Throws: ``RuleViolation`` if the engine reports completed stages in the wrong order.
    package func ids(
        _ plan: FetchPlan, in snapshot: (any StoreSnapshot)? = nil, atMost count: Int = 7
    ) throws -> [ObjectID] {
        let snapshot = try snapshot ?? store.snapshot()
        let cursor = try snapshot.cursor(plan)
        let completed = cursor.completed
        try PlanFinisher.check(completed, of: plan)
        let answer = try drain(cursor, atMost: count)
        try require(
            answer.isEmpty || answer.holdsIDsOnly == (plan.output == .ids),
            "a batch contains IDs if the plan asks for IDs, and rows otherwise")
        if completed.isComplete { return answer.ids }
        let rows =
            plan.output == .rows ? answer : try inOrder(snapshot.rows(for: answer.ids), answer.ids)
        return try PlanFinisher(snapshot, layouts).finish(plan, completed, rows).ids
    }

    private func inOrder(_ rows: RowBatch, _ ids: [ObjectID]) throws -> RowBatch {
        let indices = Dictionary(
            rows.ids.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        return rows.selecting(ids.compactMap { indices[$0] })
    }

    /// Returns the rows of an entity and its subentities, sorted by key.
    package func rows(
        _ entity: String, in snapshot: (any StoreSnapshot)? = nil
    ) throws -> [Row] {
        let snapshot = try snapshot ?? store.snapshot()
        let cursor = try snapshot.cursor(try plan(entity))
        return Array(try drain(cursor).rows).sorted { $0.key < $1.key }
    }

    /// Returns the row of an object, or `nil` if the object has no row.
    package func row(of id: ObjectID, in snapshot: (any StoreSnapshot)? = nil) throws -> Row? {
        let rows = try (try snapshot ?? store.snapshot()).rows(for: [id])
        try require(rows.count <= 1, "an ID has at most one row")
        return rows.isEmpty ? nil : rows[row: 0]
    }

    /// Returns the value of a property, including values that are stored outside the row.
    package func value(
        _ name: String, of row: Row, in snapshot: (any StoreSnapshot)? = nil
    ) throws -> Value {
        let layout = try requireValue(layouts.layout(of: row.entity), "the layout of a row")
        let slot = try requireValue(layout.slot(named: name), "the slot of \(name)")
        if slot.kind == .externalBinary, !row.isNull(slot),
            case .reference(let reference) = row.externalBinary(slot)
        {
            return .binary(try (try snapshot ?? store.snapshot()).externalData(reference))
        }
        return row.value(slot)
    }

    /// Returns the value of a property of an object. The object must have a row.
    package func value(
        _ name: String, of id: ObjectID, in snapshot: (any StoreSnapshot)? = nil
    ) throws -> Value {
        let snapshot = try snapshot ?? store.snapshot()
        let row = try requireValue(try row(of: id, in: snapshot), "the row of an object")
        return try value(name, of: row, in: snapshot)
    }

    /// Returns the ID of the object with a URI.
    func id(_ uri: URL) throws(RuleViolation) -> ObjectID {
        let parts = try requireValue(ObjectURI(uri), "the parts of the URI \(uri)")
        return try requireValue(store.objectID(for: parts), "the ID of the URI \(uri)")
    }

    /// Returns the members of one owner, in the order of the store's answer, and checks the answer's form.
    ///
    /// If `snapshot` is `nil`, a new snapshot is read.
    package func members(
        _ entity: String, _ name: String, of owner: ObjectID,
        in snapshot: (any StoreSnapshot)? = nil
    ) throws -> [ObjectID] {
        let snapshot = try snapshot ?? store.snapshot()
        let relationship = try relationship(entity, name)
        let related = try snapshot.relatedIDs(relationship, of: [owner])
        try requireEqual(related.count, 1, "the number of owners in the answer")
        if relationship.isOrdered {
            try requireEqual(
                related.orderKeys.count, related.members.count, "the number of order keys")
            let keys = related.orderKeys
            try require(
                zip(keys, keys.dropFirst()).allSatisfy { $0 <= $1 },
                "the order keys of an owner increase")
        } else {
            try require(related.orderKeys.isEmpty, "an unordered relationship has no order keys")
        }
        return Array(related.members[related.range(ofOwnerAt: 0)])
    }
}
