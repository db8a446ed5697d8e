import CairnModel
import Foundation

/// Computes the derived attributes that a save changes: of the objects in it, and of those whose
/// relationships lead to them.
///
/// A row that only a derived value changes keeps its version, as with the triggers of Core Data's
/// SQLite stores: nobody edits that value, so nobody's edit is in conflict with it.
///
/// ```swift
/// var pass = DerivationPass(attributes, layouts: layouts, store: number, of: request)
/// try pass.noteDependents(in: stateBefore)
/// // Write the request.
/// while let rows = try pass.nextRows(in: stateNow) { /* write them */ }
/// ```
public struct DerivationPass {
    /// A row whose derived values have changed.
    public struct ComputedRow {
        /// The row as the save has left it so far.
        public let old: Row
        /// The row with the values that were computed.
        public let new: Row
        /// The slots that differ, growing.
        public let slots: [Int]
    }

    /// Derived attributes may depend on others, but hardly in a longer chain than this; one that
    /// depends on itself ends here too.
    private static let mostRounds = 8

    private let attributes: DerivedAttributes
    private let layouts: RowLayouts
    private let store: StoreNumber
    /// The objects that the request inserts or updates.
    private let saved: Set<ObjectID>
    private let now = Date()
    private var roundCount = 0
    /// Objects that changed since the last round.
    private var changed: Set<ObjectID> = []
    /// Objects that depend on those, according to the state before the save.
    private var noted: Set<ObjectID> = []
    private var recomputed: [ObjectID: Row] = [:]

    /// Begins a pass. Costs nothing if the store computes no attributes.
    ///
    /// - Parameter store: the number in the rows' IDs.
    public init(
        _ attributes: DerivedAttributes, layouts: RowLayouts, store: StoreNumber,
        of request: SaveRequest
    ) {
        self.attributes = attributes
        self.layouts = layouts
        self.store = store
        guard !attributes.isEmpty else {
            saved = []
            return
        }
        saved = Set(request.inserted.ids).union(request.updated.map(\.row.id))
        changed = saved.union(request.deleted.map(\.id))
        for pair in request.pairs { changed.formUnion([pair.owner, pair.member]) }
    }

    /// The rows that differ from what the request brought or the store had, by root entity and key.
    public var computedRows: [Row] {
        recomputed.values.sorted { ($0.rootEntity, $0.key) < ($1.rootEntity, $1.key) }
    }

    /// Notes which objects depend on those of the request. Call this before the request is written:
    /// afterwards nothing leads from a deleted object, or from a changed relationship, to the
    /// objects that depended on it.
    ///
    /// - Throws: what the state throws.
    public mutating func noteDependents(in state: some DerivationState) throws(StoreError) {
        noted = try dependents(on: changed, in: state)
    }

    /// Returns the rows whose derived values differ in this state, for the caller to write. The next
    /// call then computes what depends on these rows. Returns `nil` if no row differs, and after
    /// eight calls.
    ///
    /// - Throws: `.unsupportedValue` for a value that its attribute cannot hold; what the state
    ///   throws.
    public mutating func nextRows(
        in state: some DerivationState
    ) throws(StoreError) -> [ComputedRow]? {
        guard !changed.isEmpty, roundCount < Self.mostRounds else { return nil }
        roundCount += 1
        let affected = try noted.union(changed).union(dependents(on: changed, in: state))
        let rows = try compute(affected, in: state)
        noted = []
        changed = Set(rows.map(\.new.id))
        for row in rows { recomputed[row.new.id] = row.new }
        return rows.isEmpty ? nil : rows
    }

    // MARK: Dependents

    private func dependents(
        on changed: Set<ObjectID>, in state: some DerivationState
    ) throws(StoreError) -> Set<ObjectID> {
        var found: Set<ObjectID> = []
        for derived in attributes.all where !changed.isEmpty {
            for walk in derived.walks {
                found.formUnion(try origins(of: walk, reaching: changed, in: state))
            }
        }
        return found
    }

    /// The objects from which the walk passes or reaches one of the changed objects.
    private func origins(
        of walk: [Relationship], reaching changed: Set<ObjectID>, in state: some DerivationState
    ) throws(StoreError) -> Set<ObjectID> {
        var reached: Set<ObjectID> = []
        for relationship in walk.reversed() {
            let hierarchy = relationship.destination.rootEntity.hierarchyNumbers
            reached.formUnion(changed.filter { hierarchy.contains($0.rootEntity) })
            if reached.isEmpty { continue }
            guard let inverse = relationship.inverse else {
                // No relationship leads back, so every object may be an origin.
                return try state.objects(of: walk[0].entity)
            }
            reached = try owners(of: reached, over: inverse, in: state)
        }
        return reached
    }

    private func owners(
        of ids: Set<ObjectID>, over inverse: Relationship, in state: some DerivationState
    ) throws(StoreError) -> Set<ObjectID> {
        if inverse.isToMany { return try state.members(of: inverse, ofOwners: ids) }
        let source = RowSource(layouts: layouts, resolver: state)
        var owners: Set<ObjectID> = []
        for row in try state.rows(for: Array(ids)) {
            if let row, let owner = try source.destination(of: inverse, in: row) {
                owners.insert(owner)
            }
        }
        return owners
    }

    // MARK: Values

    private func compute(
        _ affected: Set<ObjectID>, in state: some DerivationState
    ) throws(StoreError) -> [ComputedRow] {
        let source = RowSource(layouts: layouts, resolver: state)
        let expressions = attributes.all.map {
            // It compiles: only a regular expression may not, and binding compiled those.
            try? ObjectExpression($0.expression, source: source, now: now)
        }
        var writer = RowWriter(store: store)
        var olds: [(row: Row, slots: [Int])] = []
        // Rows of other hierarchies have nothing to compute, and are not read.
        let roots = Set(attributes.all.map(\.attribute.entity.rootEntity.number))
        let ids = affected.filter { roots.contains($0.rootEntity) }
            .sorted { ($0.rootEntity, $0.key) < ($1.rootEntity, $1.key) }
        for case let row? in try state.rows(for: ids) {
            let values = try newValues(of: row, expressions)
            guard !values.isEmpty, let layout = layouts.layout(of: row.entity) else { continue }
            try append(row, replacing: values, layout, to: &writer)
            olds.append((row, values.keys.sorted()))
        }
        return zip(olds, writer.takeBatch().rows).map { old, new in
            ComputedRow(old: old.row, new: new, slots: old.slots)
        }
    }

    /// The derived values that differ from the row's, by slot.
    private func newValues(
        of row: Row, _ expressions: [ObjectExpression<RowSource>?]
    ) throws(StoreError) -> [Int: Value] {
        let indices = attributes.indices(of: row.entity)
        guard !indices.isEmpty, let layout = layouts.layout(of: row.entity) else { return [:] }
        var values: [Int: Value] = [:]
        for index in indices {
            let derived = attributes.all[index]
            if derived.isOfItsMoment, !saved.contains(row.id) { continue }
            guard let expression = expressions[index] else { continue }
            let value = try converted(try expression.value(for: row), for: derived.attribute)
            if value != row.value(layout.slots[derived.slot]) { values[derived.slot] = value }
        }
        return values
    }

    private func converted(
        _ value: Value, for attribute: Attribute
    ) throws(StoreError) -> Value {
        if let value = value.converted(to: attribute.type) { return value }
        throw .unsupportedValue(
            entity: attribute.entity.name, attribute: attribute.name,
            reason: "its derived value is not in the range of its type")
    }

    private func append(
        _ row: Row, replacing values: [Int: Value], _ layout: RowLayout,
        to writer: inout RowWriter
    ) throws(StoreError) {
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
    }
}
