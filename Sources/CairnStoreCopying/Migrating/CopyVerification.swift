import CairnModel
import CairnRows
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
    ///   - entities: the entities whose objects must have all required values.
    /// - Throws: `.migrationRefused`, which names the entity or relationship that differs; the
    ///   errors of reading the copy.
    func run(
        _ written: ContentSums, _ relationships: [Relationship],
        requiringValuesOf entities: [Entity] = []
    ) throws(StoreError) {
        let snapshot = try copy.snapshot()
        defer { snapshot.end() }
        let request = copy.request
        var found = ContentSums(of: copy.number, request.layouts)
        let held = Set(try CompatibilityCheck.entities(of: request).map(\.rootEntity))
        var required = RequiredValues(of: entities, request.layouts)
        for root in held { try read(root, in: snapshot, &found, &required) }
        try required.requireNoneMissing(at: location)
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

    /// Checks that every object of some entities has a value for each required attribute, and a destination
    /// for each required to-one relationship.
    ///
    /// - Throws: `.migrationRefused`, which names each property that objects lack; the errors of reading the
    ///   copy.
    func requireValues(of entities: [Entity]) throws(StoreError) {
        let snapshot = try copy.snapshot()
        defer { snapshot.end() }
        var required = RequiredValues(of: entities, copy.request.layouts)
        for root in Set(entities.map(\.rootEntity)) {
            let cursor = try snapshot.cursor(FetchPlan(entity: root))
            while let rows = try cursor.next(atMost: BatchSize.greatestRowCount) {
                required.check(rows)
            }
        }
        try required.requireNoneMissing(at: location)
    }

    // MARK: Reading

    private func read(
        _ root: Entity, in snapshot: any StoreSnapshot, _ found: inout ContentSums,
        _ required: inout RequiredValues
    ) throws(StoreError) {
        let cursor = try snapshot.cursor(FetchPlan(entity: root))
        var size = BatchSize()
        while let rows = try cursor.next(atMost: size.rowCount) {
            size.note(rows)
            try found.add(rows)
            required.check(rows)
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

/// The required values that rows lack.
private struct RequiredValues {
    private struct Slot {
        let entity: String
        let property: String
        let slot: RowLayout.Slot
        var missingCount = 0
    }

    /// Indexed by entity number. Empty for entities that are not checked.
    private var slots: [[Slot]]
    private let isEmpty: Bool

    init(of entities: [Entity], _ layouts: RowLayouts) {
        let checked = Set(entities.map(\.number))
        slots =
            [[]]
            + layouts.model.entities.map { entity in
                guard checked.contains(entity.number) else { return [] }
                let layout = layouts.layout(of: entity)
                return zip(layout.properties, layout.slots).filter { $0.0.requiresValue }.map {
                    Slot(entity: entity.name, property: $0.name, slot: $1)
                }
            }
        isEmpty = slots.allSatisfy(\.isEmpty)
    }

    mutating func check(_ rows: RowBatch) {
        if isEmpty { return }
        for rowIndex in rows.rowIndices {
            let row = rows.pointer(at: rowIndex)
            let entity = Int(row.entity.rawValue)
            for index in slots[entity].indices where row.isNull(slots[entity][index].slot) {
                slots[entity][index].missingCount += 1
            }
        }
    }

    /// - Throws: `.migrationRefused`.
    func requireNoneMissing(at location: StoreLocation) throws(StoreError) {
        let missing = slots.joined().filter { $0.missingCount > 0 }.map { slot in
            InferenceFinding(
                slot.entity, slot.property,
                "it is required, but \(slot.missingCount.counted("object")) would have no value after the"
                    + " migration; let the mapping model or the program's code set it")
        }
        guard missing.isEmpty else { throw .migrationRefused(location, findings: missing) }
    }
}

extension Property {
    /// Whether an object's row must have a value in the slot of this property.
    fileprivate var requiresValue: Bool {
        switch self {
        case .attribute(let attribute): !attribute.isOptional && !attribute.isDerived
        case .relationship(let relationship): !relationship.isToMany && !relationship.isOptional
        case .fetchedProperty: false
        }
    }
}
