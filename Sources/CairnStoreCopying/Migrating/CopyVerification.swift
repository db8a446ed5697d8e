import CairnModel
import CairnStore

/// Reads a copy of a store after it was closed and opened again, and compares it with what was
/// written.
struct CopyVerification {
    private let copy: any PersistentStore
    /// The location of the migrated store, for errors.
    private let location: StoreLocation

    init(of copy: any PersistentStore, at location: StoreLocation) {
        self.copy = copy
        self.location = location
    }

    /// Compares the objects of each entity (their keys, versions, values and to-one relationships),
    /// and the pairs and positions of relationships.
    ///
    /// - Parameters:
    ///   - written: the sums of the content that was written.
    ///   - relationships: the relationships whose pairs or positions were saved to the copy.
    /// - Throws: `.migrationRefused`, which names the entity or relationship that differs; the
    ///   errors of reading the copy.
    func run(_ written: ContentSums, _ relationships: [Relationship]) throws(StoreError) {
        let snapshot = try copy.snapshot()
        defer { snapshot.end() }
        let request = copy.request
        var found = ContentSums(of: copy.number, request.layouts)
        let held = Set(try CompatibilityCheck.entities(of: request).map(\.rootEntity))
        for root in held { try read(root, in: snapshot, &found) }
        for entity in held.flatMap(\.hierarchy) {
            try require(
                found.objects(of: entity.number), written.objects(of: entity.number), "objects",
                of: entity)
        }
        for relationship in relationships {
            try read(relationship, in: snapshot, &found)
            try compare(relationship, found, written)
            guard relationship.isManyToMany, let inverse = relationship.inverse, inverse.isOrdered,
                inverse != relationship
            else { continue }
            try read(inverse, in: snapshot, &found)
            try compare(inverse, found, written, isInverse: true)
        }
    }

    // MARK: Reading

    private func read(
        _ root: Entity, in snapshot: any StoreSnapshot, _ found: inout ContentSums
    ) throws(StoreError) {
        let cursor = try snapshot.cursor(FetchPlan(entity: root))
        var size = BatchSize()
        while let rows = try cursor.next(atMost: size.rowCount) {
            size.note(rows)
            try found.add(rows)
        }
    }

    private func read(
        _ relationship: Relationship, in snapshot: any StoreSnapshot, _ found: inout ContentSums
    ) throws(StoreError) {
        let plan = FetchPlan(entity: relationship.entity, output: .ids)
        let cursor = try snapshot.cursor(plan)
        while let owners = try cursor.next(atMost: BatchSize.ownerCount) {
            let ids = owners.ids
            found.add(try snapshot.relatedIDs(relationship, of: ids), of: ids, by: relationship)
        }
    }

    // MARK: Comparing

    private func compare(
        _ relationship: Relationship, _ found: ContentSums, _ written: ContentSums,
        isInverse: Bool = false
    ) throws(StoreError) {
        let (entity, name) = (relationship.entity, relationship.name)
        if !isInverse {
            try require(
                found.pairs(of: relationship), written.pairs(of: relationship), "destinations",
                of: entity, name)
        }
        guard relationship.isOrdered else { return }
        try require(
            found.positions(of: relationship), written.positions(of: relationship), "positions",
            of: entity, name)
    }

    private func require(
        _ found: ContentSums.Sum, _ expected: ContentSums.Sum, _ what: String, of entity: Entity,
        _ property: String? = nil
    ) throws(StoreError) {
        guard found != expected else { return }
        let difference =
            found.count == expected.count
            ? "\(what) in the migrated copy differ from those that were written"
            : "the migrated copy has \(found.count) \(what) instead of \(expected.count)"
        throw .migrationRefused(
            location,
            findings: [
                InferenceFinding(
                    entity.name, property,
                    "\(difference); check the disk and the memory of the computer, and try again")
            ])
    }
}
