import CairnModel
import CairnRows
import CairnStore

/// Finds the references that a save would break. Objects that it refers to are locked, so that no other save deletes
/// them before this one has ended, and a save that deletes an object waits for those that refer to it.
final class ReferenceChecks {
    /// A reference to an object that was not found.
    struct MissingDestination {
        let destination: ObjectID
        /// The inverse of the relationship that leads to the destination.
        let inverse: Relationship
        let member: ObjectID
    }

    /// A to-one relationship that the save sets.
    private struct Written {
        let row: Row
        let destination: ObjectID?
        let isUpdate: Bool
    }

    private let request: SaveRequest
    /// Whether the request is a part of a save. The objects of later parts may still be missing then, and what refers to a
    /// deleted object may be deleted by a later part.
    private let isPart: Bool
    private let schema: StoreSchema
    private let deleted: Set<ObjectID>
    private let inserted: Set<ObjectID>
    private var written: [Relationship: [Written]] = [:]
    /// The keys of objects that the save refers to and does not insert, by root entity.
    private var needed: [EntityNumber: Set<Int64>] = [:]
    /// The destinations of one-to-one relationships before the save, by the object's key.
    private var former: [Relationship: [Int64: Int64]] = [:]
    /// The members that leave relationships that must have some, by the owner.
    private(set) var losses: [Relationship: [ObjectID: Set<ObjectID>]] = [:]
    private var found = ReferenceConflictList()

    /// - Parameter checksDestinations: whether the objects that the save refers to have to be there.
    init(
        _ request: SaveRequest, _ schema: StoreSchema, checksDestinations: Bool, isPart: Bool
    ) {
        self.request = request
        self.isPart = isPart
        self.schema = schema
        deleted = Set(request.deleted.map(\.id))
        inserted = Set(request.inserted.ids)
        guard checksDestinations else { return }
        for reference in schema.references {
            let all = writes(of: reference)
            if all.isEmpty { continue }
            written[reference.relationship] = all
            for it in all { if let destination = it.destination { need(destination) } }
        }
        for pair in request.pairs where schema.pairs(of: pair.relationship) != nil {
            need(pair.owner)
            need(pair.member)
        }
    }

    /// The conflicts that were found so far.
    var conflicts: [ReferenceConflict] { found.conflicts }

    private func need(_ id: ObjectID) {
        if inserted.contains(id) || deleted.contains(id) { return }
        needed[id.rootEntity, default: []].insert(id.key)
    }

    private func writes(of reference: StoreSchema.Reference) -> [Written] {
        let entities = reference.relationship.entity.hierarchyNumbers
        var all: [Written] = []
        func add(_ row: Row, _ changed: SlotSet?) {
            guard entities.contains(row.entity),
                let slot = schema.layouts.layout(of: row.entity)?
                    .slot(named: reference.relationship.name),
                changed?.contains(Int(slot.index)) ?? !row.isNull(slot)
            else { return }
            all.append(
                Written(
                    row: row, destination: row.isNull(slot) ? nil : row.objectID(slot),
                    isUpdate: changed != nil))
        }
        for row in request.inserted.rows { add(row, nil) }
        for update in request.updated { add(update.row, update.changedSlots) }
        return all
    }

    // MARK: Before the save is written

    /// Locks the rows that the save changes, in the order of their keys, so that two saves do not wait for each other.
    func addLocks(to writing: inout RequestWriting) {
        let changed = Dictionary(grouping: request.updated.map(\.row.id), by: \.rootEntity)
        let removed = Dictionary(grouping: deleted, by: \.rootEntity)
        for root in Set(changed.keys).union(removed.keys).sorted() {
            guard let table = schema.tables[root] else { continue }
            let partners = schema.references.filter {
                $0.isOneToOne && $0.relationship.entity.rootEntity.number == root
            }
            for (ids, strength) in [(removed[root], "UPDATE"), (changed[root], "NO KEY UPDATE")] {
                guard let ids, ids.count > 1 || !partners.isEmpty else { continue }
                let columns = (["_key"] + partners.map(\.column.name)).joined(separator: ", ")
                writing.add(
                    PostgresStatement(
                        "SELECT \(columns) FROM \(table.name) WHERE _key = ANY($1) ORDER BY _key FOR \(strength)",
                        [.integers(ids.map(\.key))])
                ) { [self] result in
                    for row in 0..<result.rowCount {
                        guard let key = result.integer(row, 0, as: Int64.self) else { continue }
                        for (index, partner) in partners.enumerated() {
                            former[partner.relationship, default: [:]][key] =
                                result.integer(row, index + 1, as: Int64.self)
                        }
                    }
                }
            }
        }
    }

    /// Finds the members that leave relationships that must have some, before the save is written.
    func noteLosses(in state: SavedState) throws(StoreError) {
        func lose(_ member: ObjectID, _ owner: ObjectID, _ relationship: Relationship) {
            guard !deleted.contains(owner) else { return }
            losses[relationship, default: [:]][owner, default: []].insert(member)
        }
        guard schema.layouts.model.needsMembers else { return }
        let concerned = Array(deleted) + request.updated.map(\.row.id)
        for row in try state.rows(for: concerned).compactMap(\.self) {
            for reference in schema.references
            where reference.inverse.needsMembers
                && reference.relationship.entity.hierarchyNumbers.contains(row.entity)
            {
                guard
                    let slot = schema.layouts.layout(of: row.entity)?
                        .slot(named: reference.relationship.name), !row.isNull(slot)
                else { continue }
                let leaves =
                    deleted.contains(row.id)
                    || written[reference.relationship]?.contains { $0.row.id == row.id } == true
                if leaves { lose(row.id, row.objectID(slot), reference.inverse) }
            }
        }
        for entity in schema.layouts.model.entities {
            for case .relationship(let relationship) in entity.ownProperties {
                guard let inverse = relationship.inverse, inverse.needsMembers,
                    schema.pairs(of: relationship) != nil
                else { continue }
                for id in deleted where entity.hierarchyNumbers.contains(id.entity) {
                    for owner in try state.members(of: relationship, ofOwners: [id]) {
                        lose(id, owner, inverse)
                    }
                }
            }
        }
    }

    // MARK: After rows were written

    /// Locks the objects that the save refers to, and finds out which of them are not there.
    func addShares(to writing: inout RequestWriting) {
        for (root, keys) in needed.sorted(by: { $0.key < $1.key }) {
            guard let table = schema.tables[root] else { continue }
            let keys = PostgresParameter.keys(keys.sorted())
            writing.add(
                PostgresStatement(
                    "SELECT _key FROM \(table.name) WHERE \(keys.condition) ORDER BY _key FOR KEY SHARE",
                    [keys.parameter])
            ) { [self] result in
                for row in 0..<result.rowCount {
                    if let key = result.integer(row, 0, as: Int64.self) {
                        needed[root]?.remove(key)
                    }
                }
            }
        }
    }

    /// Adds the questions whose answers are conflicts.
    func addQuestions(to writing: inout RequestWriting) {
        for reference in schema.references {
            if reference.isOneToOne { askPartners(reference, &writing) }
            if !isPart { askRemaining(reference, &writing) }
        }
    }

    /// One-to-one relationships must lead back, and former partners must have let go.
    private func askPartners(
        _ reference: StoreSchema.Reference, _ writing: inout RequestWriting
    ) {
        guard let all = written[reference.relationship],
            let own = schema.table(of: reference.relationship.entity),
            let others = schema.table(of: reference.inverse.entity),
            let back = others.column(reference.inverse.rowSlot, of: reference.inverse.entity)
        else { return }
        let columns = "s._key, s._entity, d._key, d._entity"
        let column = reference.column.name
        func ask(
            _ keys: [Int64], _ condition: String, _ note: @escaping (ObjectID, ObjectID) -> Void
        ) {
            guard !keys.isEmpty else { return }
            writing.add(
                PostgresStatement(
                    """
                    SELECT \(columns) FROM \(own.name) AS s JOIN \(others.name) AS d ON \(condition)
                    WHERE s._key = ANY($1)
                    """, [.integers(keys)])
            ) { [schema] (result) throws(StoreError) in
                for row in 0..<result.rowCount {
                    note(
                        try PostgresRowReader.id(result, row, of: own, schema, at: 0),
                        try PostgresRowReader.id(result, row, of: others, schema, at: 2))
                }
            }
        }
        ask(
            all.filter { $0.destination != nil }.map(\.row.key),
            "d._key = s.\(column) AND d.\(back.name) IS DISTINCT FROM s._key"
        ) { [self] in found.report(.oneSided, $1, reference.inverse, $0) }
        ask(
            all.filter(\.isUpdate).map(\.row.key),
            "d.\(back.name) = s._key AND s.\(column) IS DISTINCT FROM d._key"
        ) { [self] own, partner in
            guard former[reference.relationship]?[own.key] == partner.key else { return }
            found.report(.oneSided, own, reference.relationship, partner)
        }
    }

    /// Objects that stay must not refer to deleted ones.
    private func askRemaining(
        _ reference: StoreSchema.Reference, _ writing: inout RequestWriting
    ) {
        let (inverse, column) = (reference.inverse, reference.column.name)
        let owners = deleted.filter { inverse.entity.hierarchyNumbers.contains($0.entity) }
        guard inverse.deleteRule != .noAction, !owners.isEmpty,
            let members = schema.table(of: reference.relationship.entity)
        else { return }
        let byKey = Dictionary(owners.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        let rewritten = Set(written[reference.relationship]?.map(\.row.id) ?? [])
        writing.add(
            PostgresStatement(
                "SELECT _key, _entity, \(column) FROM \(members.name) WHERE \(column) = ANY($1)",
                [.integers(byKey.keys.sorted())])
        ) { [self] (result) throws(StoreError) in
            for row in 0..<result.rowCount {
                let member = try PostgresRowReader.id(result, row, of: members, schema, at: 0)
                guard let key = result.integer(row, 2, as: Int64.self), let owner = byKey[key],
                    !rewritten.contains(member),
                    !reference.isOneToOne || former[inverse]?[key] == member.key
                else { continue }
                found.report(.deleted, owner, inverse, member)
            }
        }
    }

    /// The references that the request writes to objects that were not found.
    var missing: [MissingDestination] {
        var all: [MissingDestination] = []
        for reference in schema.references {
            for it in written[reference.relationship] ?? [] {
                guard let destination = it.destination,
                    needed[destination.rootEntity]?.contains(destination.key) == true
                else { continue }
                all.append(
                    MissingDestination(
                        destination: destination, inverse: reference.inverse, member: it.row.id))
            }
        }
        return all
    }

    /// Finds what needs the answers to all questions.
    func finish(in state: SavedState?) throws(StoreError) {
        for reference in schema.references where reference.inverse.deleteRule != .noAction {
            for it in written[reference.relationship] ?? [] {
                guard let destination = it.destination, deleted.contains(destination) else {
                    continue
                }
                found.report(.deleted, destination, reference.inverse, it.row.id)
            }
        }
        for it in missing { found.report(.missing, it.destination, it.inverse, it.member) }
        if let state { try Self.reportLosses(losses, in: state, &found) }
    }

    /// Reports the owners that have fewer members than they must have.
    static func reportLosses(
        _ losses: [Relationship: [ObjectID: Set<ObjectID>]], in state: SavedState,
        _ found: inout ReferenceConflictList
    ) throws(StoreError) {
        for (relationship, owners) in losses {
            for (owner, gone) in owners {
                let count = try state.members(of: relationship, ofOwners: [owner]).count
                let isEmptyAndMayBe = count == 0 && relationship.isOptional
                guard count < relationship.description.minimumCount, !isEmptyAndMayBe else {
                    continue
                }
                for member in gone.sorted(by: { $0.precedes($1) }) {
                    found.report(.tooFewMembers, owner, relationship, member)
                }
            }
        }
    }
}

extension Relationship {
    /// Whether the relationship is a to-many that must have members.
    fileprivate var needsMembers: Bool {
        isToMany && !isTransient && description.minimumCount > 0
    }
}

extension ManagedObjectModel {
    /// Whether a relationship of the model must have members.
    var needsMembers: Bool {
        entities.contains { $0.relationships.contains(where: \.needsMembers) }
    }
}
