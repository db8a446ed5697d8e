import CairnModel
import CairnRows
import CairnStore
import Foundation

/// Computes the derived attributes that a save changes: those of the objects in it, and those of
/// objects with relationships that lead to them.
///
/// A row in which only derived values change keeps its version, as with the triggers in Core Data's
/// SQLite stores. No one edits such a value, so it cannot conflict with anyone's edit.
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
        /// The row as it is after the steps of the save so far.
        public let old: Row
        /// The row with the computed values.
        public let new: Row
        /// The indices of the slots that differ, in ascending order.
        public let slots: [Int]
    }

    /// Derived attributes may depend on other derived attributes, but hardly ever in a chain longer
    /// than this. The limit also stops attributes that depend on themselves.
    private static let mostRounds = 8

    private let attributes: DerivedAttributes
    private let layouts: RowLayouts
    private let store: StoreNumber
    /// The objects that the request inserts or updates.
    private let saved: Set<ObjectID>
    private let now: Date
    private var roundCount = 0
    /// The objects that changed since the last round.
    private var changed: Set<ObjectID> = []
    /// The objects that depended on ``changed`` in the state before the save.
    private var noted: Set<ObjectID> = []
    private var recomputed: [ObjectID: Row] = [:]

    /// Begins a pass. Costs nothing if the store computes no attributes.
    ///
    /// - Parameters:
    ///   - attributes: the attributes to compute.
    ///   - layouts: the row layouts of the store's `OpenRequest`.
    ///   - store: the store number in the IDs of the rows.
    ///   - request: the save whose objects, and the objects that depend on them, are computed.
    ///   - now: the value of `now()`. An engine that writes a request again gives the same time.
    public init(
        _ attributes: DerivedAttributes, layouts: RowLayouts, store: StoreNumber,
        of request: SaveRequest, at now: Date = Date()
    ) {
        self.attributes = attributes
        self.now = now
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

    /// The rows that differ from those in the request or in the store, sorted by root entity and
    /// key.
    package var computedRows: [Row] {
        recomputed.values.sorted { ($0.rootEntity, $0.key) < ($1.rootEntity, $1.key) }
    }

    /// Finds the objects that depend on those in the request. Call this method before the request
    /// is written: afterwards, nothing leads from a deleted object or a changed relationship to the
    /// objects that depended on it.
    ///
    /// - Throws: the errors of the state.
    public mutating func noteDependents(in state: some DerivationState) throws(StoreError) {
        noted = try dependents(on: changed, in: state)
    }

    /// Returns the rows whose derived values differ in this state, for the caller to write. The
    /// next call then computes what depends on these rows. Returns `nil` if no row differs, and
    /// after eight calls.
    ///
    /// - Throws: `.unsupportedValue` for a value that its attribute cannot hold; the errors of the
    ///   state.
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

    /// Returns the objects from which the walk passes through or reaches one of the changed
    /// objects.
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
            // This does not fail: only a regular expression can fail to compile, and resolving the
            // expression has compiled it already.
            try? ObjectExpression($0.expression, source: source, now: now)
        }
        var writer = RowWriter(store: store)
        var olds: [(row: Row, slots: [Int])] = []
        // Rows of other hierarchies have no derived attributes, so they are not read.
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

    /// Returns the derived values that differ from those in the row, by slot index.
    private func newValues(
        of row: Row, _ expressions: [ObjectExpression<RowSource>?]
    ) throws(StoreError) -> [Int: Value] {
        let indices = attributes.indices(of: row.entity)
        guard !indices.isEmpty, let layout = layouts.layout(of: row.entity) else { return [:] }
        var values: [Int: Value] = [:]
        for index in indices {
            let derived = attributes.all[index]
            if derived.dependsOnNow, !saved.contains(row.id) { continue }
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
            reason: "the value that was computed for it is out of range for the type"
                + " \(attribute.type)")
    }

    private func append(
        _ row: Row, replacing values: [Int: Value], _ layout: RowLayout,
        to writer: inout RowWriter
    ) throws(StoreError) {
        writer.begin(layout, key: row.key, version: row.version)
        for (index, slot) in layout.slots.enumerated() {
            do {
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

/// The state of a store in which derived attributes are computed: the state before a save, or the
/// save's result so far.
public protocol DerivationState: RowResolver {
    /// Returns the members of a to-many relationship of all given owners together.
    ///
    /// An owner without a row has no members.
    func members(
        of relationship: Relationship, ofOwners owners: Set<ObjectID>
    ) throws(StoreError) -> Set<ObjectID>

    /// Returns every object of the entity's hierarchy. The concrete entity in the IDs may be wrong.
    func objects(of entity: Entity) throws(StoreError) -> Set<ObjectID>
}

extension DerivationState {
    /// Collects the members of one owner after the other.
    public func members(
        of relationship: Relationship, ofOwners owners: Set<ObjectID>
    ) throws(StoreError) -> Set<ObjectID> {
        var found: Set<ObjectID> = []
        for row in try rows(for: Array(owners)) {
            if let row { found.formUnion(try members(of: relationship, in: row)) }
        }
        return found
    }
}
