import CairnModel
import CairnStore
import Foundation

/// Brings derived attributes up to date that no trigger keeps: of the objects that a save changes,
/// and of those whose relationships lead to them.
struct DerivationWriter {
    /// Derived attributes may depend on others, but hardly in a longer chain; one that depends on
    /// itself ends here too.
    private static let mostRounds = 8

    let save: SaveContext
    let derived: DerivedColumns
    private let now = Date()
    private var affected: Set<ObjectID> = []
    private var saved: Set<ObjectID> = []
    /// The rows that got other values, by ID.
    private(set) var recomputed: [ObjectID: Row] = [:]
    /// Those of them whose unique values another row has.
    private(set) var clashing: [ObjectID] = []

    init(_ save: SaveContext, derived: DerivedColumns) {
        self.save = save
        self.derived = derived
    }

    /// Notes what depends on the objects of the request before it is written.
    ///
    /// - Throws: `.corrupt`, `.engineFailure`.
    mutating func noteDependents(before request: SaveRequest) throws(StoreError) {
        guard !derived.columns.isEmpty else { return }
        saved = Set(request.rows.map(\.id))
        affected = saved.union(request.deleted.map(\.id))
        for pair in request.pairs { affected.formUnion([pair.owner, pair.member]) }
        try addOrigins(of: affected)
    }

    /// Computes and writes the values, once the request is written.
    ///
    /// - Throws: `.unsupportedValue`, `.corrupt`, `.engineFailure`.
    mutating func write() throws(StoreError) {
        guard !derived.columns.isEmpty else { return }
        for _ in 0..<Self.mostRounds where !affected.isEmpty {
            try addOrigins(of: affected)
            let rows = try changedRows()
            affected = Set(rows.map(\.0.id))
            for (row, columns) in rows { try write(row, columns) }
            try addOrigins(of: affected)
        }
    }

    // MARK: Dependents

    private mutating func addOrigins(of changed: Set<ObjectID>) throws(StoreError) {
        for column in derived.columns {
            for walk in column.walks {
                affected.formUnion(try origins(of: walk, reaching: changed))
            }
        }
    }

    /// The objects from which the walk passes or reaches one of the changed objects.
    private func origins(
        of walk: [Relationship], reaching changed: Set<ObjectID>
    ) throws(StoreError) -> Set<ObjectID> {
        var reached: Set<ObjectID> = []
        for relationship in walk.reversed() {
            let hierarchy = relationship.destination.rootEntity.hierarchyNumbers
            reached.formUnion(changed.filter { hierarchy.contains($0.rootEntity) })
            guard !reached.isEmpty else { continue }
            guard let inverse = relationship.inverse else {
                return try allObjects(of: walk[0].entity)
            }
            reached = try owners(of: reached, over: inverse)
        }
        return reached
    }

    private func owners(
        of ids: Set<ObjectID>, over inverse: Relationship
    ) throws(StoreError) -> Set<ObjectID> {
        if inverse.isToMany {
            let related = try MembersByOwner(inverse, schema: save.schema)
                .relatedIDs(of: Array(ids), save.connection)
            return Set(related.members)
        }
        let source = RowSource(layouts: save.schema.map.layouts, resolver: SaveResolver(save: save))
        var owners: Set<ObjectID> = []
        for row in try save.storedRows(Array(ids)).values {
            if let owner = try source.destination(of: inverse, in: row) { owners.insert(owner) }
        }
        return owners
    }

    /// Where nothing leads back, every object may depend.
    private func allObjects(of entity: Entity) throws(StoreError) -> Set<ObjectID> {
        let schema = try save.entitySchema(entity.number)
        let select = try save.connection.statement("SELECT Z_PK FROM \(schema.table)")
        defer { select.reset() }
        var ids: Set<ObjectID> = []
        while try select.step() {
            ids.insert(
                ObjectID(
                    store: save.schema.store, rootEntity: entity.rootEntity.number,
                    entity: entity.rootEntity.number, key: select.int64(at: 0)))
        }
        return ids
    }

    // MARK: Values

    /// The affected rows whose derived values are others now, with those, and their columns.
    private func changedRows() throws(StoreError) -> [(Row, [SlotColumn])] {
        let source = RowSource(layouts: save.schema.map.layouts, resolver: SaveResolver(save: save))
        let expressions = derived.columns.map {
            // It compiles: only a regular expression may not, and binding compiled those.
            try? ObjectExpression($0.expression, source: source, now: now)
        }
        var result: [(Row, [SlotColumn])] = []
        for row in try save.storedRows(Array(affected)).values {
            guard let schema = save.schema.map.schema(of: row.entity) else { continue }
            var values: [Int: Value] = [:]
            for (column, expression) in zip(derived.columns, expressions) {
                guard let expression, schema.entity.isKind(of: column.attribute.entity),
                    let slot = column.attribute.rowSlot,
                    !column.isOfItsMoment || saved.contains(row.id)
                else { continue }
                let value = try converted(try expression.value(for: row), for: column.attribute)
                if value != row.value(schema.slots[slot].slot) { values[slot] = value }
            }
            guard !values.isEmpty, let next = try replacing(values, in: row) else { continue }
            result.append((next, values.keys.sorted().map { schema.slots[$0] }))
        }
        return result
    }

    private func converted(
        _ value: Value, for attribute: Attribute
    ) throws(StoreError) -> Value {
        if let value = value.converted(to: attribute.type) { return value }
        throw .unsupportedValue(
            entity: attribute.entity.name, attribute: attribute.name,
            reason: "its derived value is not in the range of its type")
    }

    private func replacing(_ values: [Int: Value], in row: Row) throws(StoreError) -> Row? {
        guard let layout = save.schema.map.layouts.layout(of: row.entity) else { return nil }
        var writer = RowWriter(store: save.schema.store)
        writer.begin(layout, key: row.key, version: row.version)
        for (index, slot) in layout.slots.enumerated() {
            do throws(RowError) {
                if let value = values[index] {
                    try writer.set(value, at: slot, of: layout)
                } else {
                    try writer.set(slot, from: row)
                }
            } catch {
                throw .unsupportedValue(
                    entity: layout.entity.name, attribute: layout.properties[index].name,
                    reason: "\(error)")
            }
        }
        writer.endRow()
        return writer.takeBatch().rows.first { _ in true }
    }

    private mutating func write(_ row: Row, _ columns: [SlotColumn]) throws(StoreError) {
        recomputed[row.id] = row
        let binding = RowBinding(columns, firstParameter: 2)
        let values = binding.columns.enumerated().map { "\($1) = ?\($0 + 2)" }
        let table = try save.entitySchema(row.entity).table
        let statement = try save.connection.statement(
            "UPDATE \(table) SET \(values.joined(separator: ", ")) WHERE Z_PK = ?1")
        try statement.bind(row.key, at: 1)
        try binding.bind(row, to: statement, in: save)
        guard let failure = withExtendedLifetime(row, { statement.runReturningFailure() }) else {
            return
        }
        guard failure.isUniqueClash else {
            throw failure.storeError(at: save.schema.location, waited: .zero)
        }
        clashing.append(row.id)
    }
}

/// Follows relationships in the state that a save is making.
struct SaveResolver: RowResolver {
    let save: SaveContext

    func rows(for ids: [ObjectID]) throws(StoreError) -> [Row?] {
        let rows = try save.storedRows(ids)
        return ids.map { rows[$0] }
    }

    func members(
        of relationship: Relationship, in row: Row
    ) throws(StoreError) -> [ObjectID] {
        try MembersByOwner(relationship, schema: save.schema)
            .relatedIDs(of: [row.id], save.connection).members
    }

    func externalData(_ reference: ExternalReference) throws(StoreError) -> Data {
        try save.externalData.folder.read(reference)
    }
}
