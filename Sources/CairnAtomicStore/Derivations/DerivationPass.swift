import CairnModel
import CairnStore
import Foundation

/// Computes the derived attributes that a save changes: of the objects in it, and of those whose
/// relationships lead to them.
///
/// A row that only a derived value changes keeps its version, as with the triggers of Core Data's
/// SQLite stores: nobody edits that value, so nobody's edit is in conflict with it.
struct DerivationPass {
    /// Derived attributes may depend on others, but hardly in a longer chain than this; one that
    /// depends on itself ends here too.
    private static let mostRounds = 8

    private let schema: TableSchema
    private let store: StoreNumber
    private let location: StoreLocation
    private let saved: Set<ObjectID>
    private let now = Date()
    /// The rows that differ from what the request brought, by ID.
    private(set) var recomputed: [ObjectID: Row] = [:]

    /// - Parameter saved: the objects that the request inserts or updates.
    init(schema: TableSchema, store: StoreNumber, location: StoreLocation, saved: Set<ObjectID>) {
        self.schema = schema
        self.store = store
        self.location = location
        self.saved = saved
    }

    /// Brings a table's derived values up to date.
    ///
    /// - Parameters:
    ///   - touched: objects whose rows or pairs changed, deleted ones too.
    ///   - base: the state before the save.
    /// - Throws: `.unsupportedValue` for a value that its attribute cannot hold.
    mutating func run(
        touched: Set<ObjectID>, base: RowTable, table: inout RowTable, copy: ([Row]) -> RowBatch
    ) throws(StoreError) {
        var changed = touched
        for _ in 0..<Self.mostRounds where !changed.isEmpty {
            let rows = try changedRows(after: changed, base: base, table: table)
            changed = Set(rows.map(\.id))
            for row in copy(rows).rows {
                table.set(row)
                recomputed[row.id] = row
            }
        }
    }

    /// The rows whose derived values are others now, with those.
    private func changedRows(
        after changed: Set<ObjectID>, base: RowTable, table: RowTable
    ) throws(StoreError) -> [Row] {
        var affected = changed
        for derived in schema.derivedAttributes {
            for walk in derived.walks {
                affected.formUnion(origins(of: walk, reaching: changed, in: base))
                affected.formUnion(origins(of: walk, reaching: changed, in: table))
            }
        }
        let source = RowSource(layouts: schema.layouts, resolver: resolver(table))
        var expressions: [Int: ObjectExpression<RowSource>] = [:]
        for (index, derived) in schema.derivedAttributes.enumerated() {
            // It compiles: only a regular expression may not, and binding compiled those.
            expressions[index] = try? ObjectExpression(derived.expression, source: source, now: now)
        }
        var rows: [Row] = []
        for id in affected.sorted(by: { ($0.rootEntity, $0.key) < ($1.rootEntity, $1.key) }) {
            guard let row = table.row(root: id.rootEntity, key: id.key) else { continue }
            if let next = try recomputedRow(row, expressions) { rows.append(next) }
        }
        return rows
    }

    private func resolver(_ table: RowTable) -> TableResolver {
        TableResolver(table: table, store: store, location: location)
    }

    // MARK: Dependents

    /// The objects from which the walk passes or reaches one of the changed objects.
    private func origins(
        of walk: [Relationship], reaching changed: Set<ObjectID>, in table: RowTable
    ) -> Set<ObjectID> {
        var reached: Set<ObjectID> = []
        for relationship in walk.reversed() {
            let hierarchy = relationship.destination.rootEntity.hierarchyNumbers
            reached.formUnion(changed.filter { hierarchy.contains($0.rootEntity) })
            if reached.isEmpty { continue }
            guard let inverse = relationship.inverse else {
                // Nothing leads back: every object may be one.
                return allObjects(of: walk[0].entity, in: table)
            }
            let source = RowSource(layouts: schema.layouts, resolver: resolver(table))
            reached = Set(reached.flatMap { owners(of: $0, over: inverse, in: table, source) })
        }
        return reached
    }

    private func owners(
        of id: ObjectID, over inverse: Relationship, in table: RowTable, _ source: RowSource
    ) -> [ObjectID] {
        guard let row = table.row(root: id.rootEntity, key: id.key) else { return [] }
        // Reading a slot of a row in memory throws nothing.
        if !inverse.isToMany {
            return (try? source.destination(of: inverse, in: row)).flatMap { $0 }.map { [$0] } ?? []
        }
        return resolver(table).members(of: inverse, in: row)
    }

    private func allObjects(of entity: Entity, in table: RowTable) -> Set<ObjectID> {
        let rows = table.rows(root: entity.rootEntity.number)
        var position = rows.start
        var ids: Set<ObjectID> = []
        while let (_, row) = rows.next(&position) { ids.insert(row.id) }
        return ids
    }

    // MARK: Values

    /// The row with its derived values; nil where it has them already.
    private func recomputedRow(
        _ row: Row, _ expressions: [Int: ObjectExpression<RowSource>]
    ) throws(StoreError) -> Row? {
        guard let plan = schema.plan(of: row.entity), !plan.derivedAttributes.isEmpty,
            let layout = schema.layouts.layout(of: row.entity)
        else { return nil }
        var values: [Int: Value] = [:]
        for index in plan.derivedAttributes {
            let derived = schema.derivedAttributes[index]
            if derived.isOfItsMoment, !saved.contains(row.id) { continue }
            guard let expression = expressions[index] else { continue }
            let value = try converted(try expression.value(for: row), for: derived.attribute)
            if value != row.value(layout.slots[derived.slot]) { values[derived.slot] = value }
        }
        return values.isEmpty ? nil : try replacing(values, in: row, layout)
    }

    private func converted(
        _ value: Value, for attribute: Attribute
    ) throws(StoreError) -> Value {
        if let value = value.converted(to: attribute.type) { return value }
        throw .unsupportedValue(
            entity: attribute.entity.name, attribute: attribute.name,
            reason: "its derived value is not in the range of its type")
    }

    private func replacing(
        _ values: [Int: Value], in row: Row, _ layout: RowLayout
    ) throws(StoreError) -> Row? {
        var writer = RowWriter(store: store)
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
}
