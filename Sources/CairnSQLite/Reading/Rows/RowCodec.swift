import CairnModel
import CairnStore

/// Turns the columns of one table into packed rows.
///
/// Made once for a range of entities that share a table. Which columns hold what is resolved then;
/// a row costs no lookup by name and no allocation.
final class RowCodec: Sendable {
    /// Where one slot's value comes from. Trivial, so that reading a column counts no references.
    struct Source: Sendable {
        let slot: RowLayout.Slot
        /// The index of the column in the statement. For a composite, the index in
        /// ``Plan/composites``.
        let column: Int32
        /// The index of the column with the destination's `Z_ENT`. `nil` if there is no such column.
        let entityColumn: Int32?
        /// The destination's entity if no column says it.
        let destination: EntityNumber
    }

    /// A leaf of a composite.
    struct Element: Sendable {
        let path: [String]
        let type: AttributeType
        let column: Int32
    }

    /// How rows of one concrete entity are read. A class: a row's plan is looked up, not copied.
    final class Plan: Sendable {
        let storeNumber: Int64
        let layout: RowLayout
        /// In the order of slots.
        let sources: FrozenTable<Source>
        let composites: [[Element]]
        let quick: QuickPacking?
        /// What ``quick`` reads.
        private let quickSteps: FrozenTable<QuickPacking.Step>

        init(
            storeNumber: Int64, layout: RowLayout, sources: [Source], composites: [[Element]]
        ) {
            self.storeNumber = storeNumber
            self.layout = layout
            self.sources = FrozenTable(sources)
            self.composites = composites
            quickSteps = FrozenTable(sources.map(QuickPacking.Step.init))
            quick = QuickPacking(layout, sources, steps: quickSteps)
        }
    }

    /// How a row is read. Trivial, so that finding it counts no reference: ``plans`` holds what
    /// it points to.
    private struct PlanEntry: Sendable {
        let storeNumber: Int64
        let entity: EntityNumber
        let rootEntity: EntityNumber
        /// `nil` if a column is of a kind that it cannot copy.
        let quick: QuickPacking?
        let plan: Uncounted<Plan>

        init(_ plan: Plan) {
            storeNumber = plan.storeNumber
            entity = plan.layout.entity.number
            rootEntity = plan.layout.entity.rootEntity.number
            quick = plan.quick
            self.plan = Uncounted(plan)
        }
    }

    static let keyColumn: Int32 = 0
    static let entityColumn: Int32 = 1

    let table: SQLName
    /// What the statement reads, in order: key, entity if there are several, version, then each
    /// column once.
    let columns: [SQLName]
    /// How many of the first columns an ID is read from.
    let idColumnCount: Int
    private let rowSelection: SQLText
    private let idSelection: SQLText
    /// The index of the column `Z_OPT`.
    let versionColumn: Int32
    /// The plan of all rows if they can be of one entity only. The entity's number is then not read;
    /// Core Data does not read it either.
    private let onlyPlan: PlanEntry?
    private let plans: [Plan]
    /// In the order of ``plans``.
    private let planTable: FrozenTable<PlanEntry>
    /// The elements of ``planTable``.
    private let planEntries: FrozenElements<PlanEntry>
    let map: SchemaMap
    let location: StoreLocation
    private let store: StoreNumber

    /// `nil` if the store holds none of the entities.
    init?(_ entities: Range<EntityNumber>, in schema: FetchSchema) {
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
            var composites: [[Element]] = []
            let sources = entity.slots.map { columns.source(of: $0, &composites) }
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

    /// What a `SELECT` lists: columns of the table under the name ``PredicateTranslator/base``, or the
    /// function that is given them.
    ///
    /// - Parameter output: rows; or IDs alone, which need the first columns only.
    func selection(
        _ form: RowStatement.Form, _ output: FetchPlan.Output = .rows
    ) -> SQLText {
        if output == .ids { return idSelection }
        return form == .columns ? rowSelection : "cairn_row(\(rowSelection))"
    }

    /// The form in which a statement that sorts nothing is read fastest. A table can have more columns than
    /// a function takes.
    func rowForm(of output: FetchPlan.Output = .rows) -> RowStatement.Form {
        output == .rows && columns.count <= RowStatement.argumentCountLimit ? .function : .columns
    }

    private static func selection(_ columns: some Sequence<SQLName>) -> SQLText {
        SQLText.joined(columns.map { "\(PredicateTranslator.base).\($0)" }, by: ", ")
    }

    /// Packs a row.
    ///
    /// - Throws: `.corrupt`, naming table, column and key.
    @inline(__always) func read(
        _ columns: some StoredColumns, into writer: inout RowWriter
    ) throws(StoreError) {
        let row = StoredRow(columns, codec: self)
        let entry = try plan(of: row)
        let key = try row.checkedKey()
        let version = try row.version()
        if let quick = entry.quick,
            writer.addRow(
                quick.blank, key: key, version: version, { quick.copy(columns, to: &$0) })
        {
            return
        }
        try copy(row, version, entry.plan.object, to: &writer)
    }

    /// Packs a row of any columns. If a column does not hold what it must, the error says what is
    /// wrong.
    private func copy(
        _ row: StoredRow<some StoredColumns>, _ version: Int64, _ plan: Plan,
        to writer: inout RowWriter
    ) throws(StoreError) {
        writer.begin(plan.layout, key: row.key, version: version)
        for source in plan.sources.elements {
            try row.copy(source, to: &writer, plan)
        }
        writer.endRow()
    }

    /// Reads the ID of a row; key and entity are enough.
    ///
    /// - Throws: `.corrupt`, naming table and key.
    @inline(__always) func readID(_ columns: some StoredColumns) throws(StoreError) -> ObjectID {
        let row = StoredRow(columns, codec: self)
        let entry = try plan(of: row)
        return ObjectID(
            store: store, rootEntity: entry.rootEntity, entity: entry.entity,
            key: try row.checkedKey())
    }

    /// A table holds few entities: looking through them is faster than hashing.
    @inline(__always) private func plan(
        of row: StoredRow<some StoredColumns>
    ) throws(StoreError) -> PlanEntry {
        if let onlyPlan { return onlyPlan }
        let number = try row.entity()
        for entry in planEntries where entry.storeNumber == number { return entry }
        throw row.wrong(Self.entityColumn, "no entity of the table has the number \(number)")
    }
}

/// Collects the columns that a statement reads, each once.
private struct ColumnList {
    private(set) var names: [SQLName]

    init(readsEntity: Bool) {
        names = [SQLName("Z_PK")] + (readsEntity ? [SQLName("Z_ENT")] : []) + [SQLName("Z_OPT")]
    }

    /// By bytes: SQLite knows nothing of canonically equal names.
    private mutating func index(of name: SQLName) -> Int32 {
        if let known = names.firstIndex(where: { $0.text.utf8.elementsEqual(name.text.utf8) }) {
            return Int32(known)
        }
        names.append(name)
        return Int32(names.count - 1)
    }

    mutating func source(
        of column: SlotColumn, _ composites: inout [[RowCodec.Element]]
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
            composites.append(
                elements.map {
                    RowCodec.Element(path: $0.path, type: $0.type, column: index(of: $0.name))
                })
            return RowCodec.Source(
                slot: column.slot, column: Int32(composites.count - 1), entityColumn: nil,
                destination: EntityNumber(0))
        }
    }
}

extension EntityNumber {
    /// The declared destination if it has no subentities. Otherwise the root, which an ID has if no
    /// more is known.
    fileprivate func only(unless property: Property) -> EntityNumber {
        guard case .relationship(let relationship) = property,
            relationship.destination.subentities.isEmpty
        else { return self }
        return relationship.destination.number
    }
}
