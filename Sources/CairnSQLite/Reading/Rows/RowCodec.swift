import CairnModel
import CairnRows
import CairnSQL
import CairnStore

/// Turns the columns of one table into packed rows.
///
/// A codec is created once for a range of entities that share a table. It resolves columns in
/// advance, so that a row costs no lookup by name and no allocation.
final class RowCodec: Sendable {
    /// The source of one slot's value. A trivial type, so that reading a column needs no reference
    /// counting.
    struct Source: Sendable {
        let slot: RowLayout.Slot
        /// The index of the column in the statement, or, for a composite, the index in
        /// ``Plan/composites``.
        let column: Int32
        /// The index of the column with the destination's `Z_ENT`. `nil` if there is no such column.
        let entityColumn: Int32?
        /// The destination's entity, if no column contains it.
        let destination: EntityNumber
    }

    /// A leaf element of a composite.
    struct Element: Sendable {
        let path: [String]
        let type: AttributeType
        let column: Int32
    }

    /// A composite attribute.
    struct Composite: Sendable {
        let elements: [Element]
        /// Whether it has no elements, instead of being nil, if all of its columns are NULL.
        let isRequired: Bool
    }

    /// How rows of one concrete entity are read. A class, so that looking a plan up copies nothing.
    final class Plan: Sendable {
        let storeNumber: Int64
        let layout: RowLayout
        /// The sources, in slot order.
        let sources: FrozenTable<Source>
        let composites: [Composite]

        init(
            storeNumber: Int64, layout: RowLayout, sources: [Source], composites: [Composite]
        ) {
            self.storeNumber = storeNumber
            self.layout = layout
            self.sources = FrozenTable(sources)
            self.composites = composites
        }
    }

    /// A lookup entry for a plan. A trivial type, so that finding it needs no reference counting.
    /// ``plans`` owns the objects that it points to.
    private struct PlanEntry: Sendable {
        let storeNumber: Int64
        let entity: EntityNumber
        let rootEntity: EntityNumber
        let sources: FrozenElements<Source>
        let plan: Uncounted<Plan>

        init(_ plan: Plan) {
            storeNumber = plan.storeNumber
            entity = plan.layout.entity.number
            rootEntity = plan.layout.entity.rootEntity.number
            sources = plan.sources.elements
            self.plan = Uncounted(plan)
        }
    }

    static let keyColumn: Int32 = 0
    static let entityColumn: Int32 = 1

    let table: SQLName
    /// The columns that the statement reads, each once: the key, the entity if there are several,
    /// the version, then the values.
    let columns: [SQLName]
    /// The number of leading columns that an ID is read from.
    let idColumnCount: Int
    private let rowSelection: SQLText
    private let idSelection: SQLText
    /// The index of the column `Z_OPT`.
    let versionColumn: Int32
    /// The plan for all rows, if they can only belong to one entity. The entity's number is then
    /// not read; Core Data does not read it either.
    private let onlyPlan: PlanEntry?
    private let plans: [Plan]
    /// The entries, in the order of ``plans``.
    private let planTable: FrozenTable<PlanEntry>
    /// The elements of ``planTable``.
    private let planEntries: FrozenElements<PlanEntry>
    let map: SchemaMap
    let location: StoreLocation
    private let store: StoreNumber

    /// Returns `nil` if the store holds none of the entities.
    ///
    /// - Parameter slots: The slots to read. The other slots of the rows are `nil`. If `nil`, all are read.
    init?(_ entities: Range<EntityNumber>, reading slots: SlotSet?, in schema: FetchSchema) {
        var plans: [Plan] = []
        var table: SQLName?
        let numbers = entities.lowerBound.rawValue..<entities.upperBound.rawValue
        let readsEntity = numbers.count { schema.map.schema(of: EntityNumber($0)) != nil } > 1
        var columns = ColumnList(readsEntity: readsEntity)
        for number in numbers {
            guard let entity = schema.map.schema(of: EntityNumber(number)),
                let layout = schema.map.layouts.layout(of: EntityNumber(number))
            else { continue }
            table = entity.table
            var composites: [Composite] = []
            let read = entity.slots.filter { slots?.contains(Int($0.slot.index)) ?? true }
            let sources = read.map { columns.source(of: $0, &composites) }
            plans.append(
                Plan(
                    storeNumber: entity.storeNumber, layout: layout, sources: sources,
                    composites: composites))
        }
        guard let table else { return nil }
        self.table = table
        self.columns = columns.names
        idColumnCount = readsEntity ? 2 : 1
        versionColumn = Int32(idColumnCount)
        rowSelection = Self.selection(columns.names)
        idSelection = Self.selection(columns.names.prefix(idColumnCount))
        self.plans = plans
        onlyPlan = readsEntity ? nil : plans.first.map(PlanEntry.init)
        planTable = FrozenTable(plans.map(PlanEntry.init))
        planEntries = planTable.elements
        map = schema.map
        location = schema.location
        store = schema.store
    }

    /// Returns the result list of a `SELECT`: the columns of the table, whose alias is
    /// ``QueryScope/base``, or a call of `cairn_row` with these columns.
    ///
    /// - Parameter output: Whether to select rows, or only IDs, which need only the first columns.
    func selection(
        _ form: RowStatement.Form, _ output: FetchPlan.Output = .rows
    ) -> SQLText {
        if output == .ids { return idSelection }
        return form == .columns ? rowSelection : "cairn_row(\(rowSelection))"
    }

    /// Returns the fastest form for a statement that does not sort. A table may have more columns
    /// than a function takes arguments.
    func rowForm(of output: FetchPlan.Output = .rows) -> RowStatement.Form {
        output == .rows && columns.count <= RowStatement.argumentCountLimit ? .function : .columns
    }

    private static func selection(_ columns: some Sequence<SQLName>) -> SQLText {
        SQLText.joined(columns.map { "\(QueryScope.base).\($0)" }, by: ", ")
    }

    /// Packs a row.
    ///
    /// - Throws: `.corrupt` with the table, column and key.
    @inline(__always) func read(
        _ columns: some StoredColumns, into writer: inout RowWriter
    ) throws(StoreError) {
        let row = StoredRow(columns, codec: self)
        let entry = try plan(of: row)
        let key = try row.checkedKey()
        let version = try row.version()
        writer.begin(entry.plan.object.layout, key: key, version: version)
        try row.copy(entry.sources, to: &writer, entry.plan)
        writer.endRow()
    }

    /// Returns the ID of a row. Reads only the key and the entity.
    ///
    /// - Throws: `.corrupt` with the table and key.
    @inline(__always) func readID(_ columns: some StoredColumns) throws(StoreError) -> ObjectID {
        let row = StoredRow(columns, codec: self)
        let entry = try plan(of: row)
        return ObjectID(
            store: store, rootEntity: entry.rootEntity, entity: entry.entity,
            key: try row.checkedKey())
    }

    /// Returns the plan for a row. A table has only a few entities, so a linear search is faster
    /// than hashing.
    @inline(__always) private func plan(
        of row: StoredRow<some StoredColumns>
    ) throws(StoreError) -> PlanEntry {
        if let onlyPlan { return onlyPlan }
        let number = try row.entity()
        for entry in planEntries where entry.storeNumber == number { return entry }
        throw row.wrong(Self.entityColumn, "no entity of the table has the number \(number)")
    }
}

/// The columns that a statement reads, each once.
private struct ColumnList {
    private(set) var names: [SQLName]

    init(readsEntity: Bool) {
        names = [SQLName("Z_PK")] + (readsEntity ? [SQLName("Z_ENT")] : []) + [SQLName("Z_OPT")]
    }

    /// Returns the index of a name. Names are compared as bytes, because SQLite does not treat
    /// canonically equivalent names as equal.
    private mutating func index(of name: SQLName) -> Int32 {
        if let known = names.firstIndex(where: { $0.text.utf8.elementsEqual(name.text.utf8) }) {
            return Int32(known)
        }
        names.append(name)
        return Int32(names.count - 1)
    }

    mutating func source(
        of column: SlotColumn, _ composites: inout [RowCodec.Composite]
    ) -> RowCodec.Source {
        switch column.form {
        case .value(let name):
            return RowCodec.Source(
                slot: column.slot, column: index(of: name), entityColumn: nil,
                destination: EntityNumber(0))
        case .toOne(let key, let entity, _):
            return RowCodec.Source(
                slot: column.slot, column: index(of: key),
                entityColumn: entity.map { index(of: $0) },
                destination: column.slot.destinationRoot.only(unless: column.property))
        case .composite(let elements):
            let elements = elements.map {
                RowCodec.Element(path: $0.path, type: $0.type, column: index(of: $0.name))
            }
            composites.append(
                RowCodec.Composite(elements: elements, isRequired: column.isRequiredComposite))
            return RowCodec.Source(
                slot: column.slot, column: Int32(composites.count - 1), entityColumn: nil,
                destination: EntityNumber(0))
        }
    }
}

extension EntityNumber {
    /// Returns the declared destination if it has no subentities. Otherwise returns the root
    /// entity, which an ID contains if the entity is unknown.
    fileprivate func only(unless property: Property) -> EntityNumber {
        guard case .relationship(let relationship) = property,
            relationship.destination.subentities.isEmpty
        else { return self }
        return relationship.destination.number
    }
}
