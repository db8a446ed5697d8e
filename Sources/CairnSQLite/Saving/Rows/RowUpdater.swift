import CairnModel
import CairnRows
import CairnStore

/// Updates the changed values of rows that have the expected version.
struct RowUpdater {
    /// The entity and the changed slots of an update.
    struct Shape: Hashable {
        fileprivate var entity: EntityNumber
        fileprivate var slots: SlotSet
    }

    /// How updates of one shape are written.
    final class Plan {
        fileprivate let binding: RowBinding
        fileprivate let statement: SQLiteStatement
        /// The statement that reads the old references to external data. `nil` if no such slot
        /// changes.
        fileprivate let references: SQLiteStatement?

        fileprivate init(
            _ binding: RowBinding, _ statement: SQLiteStatement, references: SQLiteStatement?
        ) {
            self.binding = binding
            self.statement = statement
            self.references = references
        }
    }

    private enum Outcome {
        case written
        /// The row has another version or does not exist.
        case conflict
        /// Another row has the unique values.
        case clash
    }

    let save: SaveContext
    private let uniqueColumns: UniqueColumns
    /// The plan of the previous update, because most updates have the same shape as the previous
    /// one.
    private var last: (shape: Shape, plan: Plan)?
    /// The updates of rows that have another version or do not exist.
    private(set) var conflicts: [RowUpdate] = []
    /// Rows whose unique values belong to another row.
    private(set) var clashing: [ObjectID] = []

    init(_ save: SaveContext, uniqueColumns: UniqueColumns) {
        self.save = save
        self.uniqueColumns = uniqueColumns
    }

    /// - Throws: `.unsupportedValue`, `.unsupported`, `.cancelled`, `.fileFailure`, `.corrupt`,
    ///   `.engineFailure`.
    mutating func update(
        _ updates: [RowUpdate], reporter: SaveReporter?
    ) throws(StoreError) {
        try freeUniqueValues(of: updates)
        var (refused, clashed): ([Int], [Int]) = ([], [])
        for index in Self.inOrderOfKeys(updates) {
            switch try apply(updates[index]) {
            case .written: break
            case .conflict: refused.append(index)
            case .clash: clashed.append(index)
            }
            try reporter?.wrote()
        }
        conflicts = refused.sorted().map { updates[$0] }
        clashing = clashed.sorted().map { updates[$0].row.id }
    }

    /// Returns the indices of the updates, sorted by table and key, so that each page of a table is
    /// visited only once.
    private static func inOrderOfKeys(_ updates: [RowUpdate]) -> [Int] {
        let keys = updates.map { (root: $0.row.rootEntity, key: $0.row.key) }
        return keys.indices.sorted { keys[$0] < keys[$1] }
    }

    /// Sets unique values to `nil` first, because `nil` never clashes. This allows rows to swap
    /// their values. Otherwise SQLite would fail, even if a single UPDATE swapped them.
    private func freeUniqueValues(of updates: [RowUpdate]) throws(StoreError) {
        let changing = updates.filter {
            uniqueColumns.touches($0.changedSlots, of: $0.row.entity)
        }
        guard changing.count > 1 else { return }
        for update in changing {
            let schema = try save.entitySchema(update.row.entity)
            let columns = uniqueColumns.names(in: update.changedSlots, of: schema)
            let list = columns.map { "\($0) = NULL" }.joined(separator: ", ")
            let statement = try save.connection.statement(
                "UPDATE \(schema.table) SET \(list) WHERE Z_PK = ? AND \(StoredVersion.column) = ?")
            try statement.bind(update.row.key, at: 1)
            try statement.bind(update.previousVersion, at: 2)
            try statement.run()
        }
    }

    private mutating func apply(_ update: RowUpdate) throws(StoreError) -> Outcome {
        let plan = try plan(for: update)
        let obsolete = try references(plan, update.row)
        let statement = plan.statement
        try statement.bind(update.row.version, at: 1)
        try statement.bind(update.row.key, at: 2)
        try statement.bind(update.previousVersion, at: 3)
        save.externalData.previousNames = obsolete
        defer { save.externalData.previousNames = nil }
        try plan.binding.bind(update.row, to: statement, in: save)
        let failure = withExtendedLifetime(update) { statement.runReturningFailure() }
        if let failure {
            guard failure.isUniqueClash, save.connection.isInTransaction else {
                throw failure.storeError(at: save.schema.location)
            }
            return .clash
        }
        guard save.connection.changedRowCount > 0 else { return .conflict }
        let kept = obsolete.isEmpty ? [] : keptReferences(update.row)
        for name in obsolete where !kept.contains(name) { save.externalData.abandon(name) }
        return .written
    }

    private mutating func plan(for update: RowUpdate) throws(StoreError) -> Plan {
        let shape = Shape(entity: update.row.entity, slots: update.changedSlots)
        if let last, last.shape == shape { return last.plan }
        let plan = try save.connection.savePlans.update(of: shape) { () throws(StoreError) in
            try newPlan(for: shape)
        }
        last = (shape, plan)
        return plan
    }

    private func newPlan(for shape: Shape) throws(StoreError) -> Plan {
        let schema = try save.entitySchema(shape.entity)
        let slots = schema.slots.enumerated().filter {
            shape.slots.contains($0.offset) && !$0.element.isDerived
        }.map(\.element)
        let binding = RowBinding(slots, firstParameter: 4)
        let values = binding.columns.enumerated().map { "\($0.element) = ?\($0.offset + 4)" }
        // The number is literal, because it depends on the schema and not on the row. If the
        // hierarchy has
        // only one entity, the number is left out, so that its index is not updated.
        let hasNoSubentities = schema.entity.rootEntity.subentities.isEmpty
        let entity = hasNoSubentities ? [] : ["Z_ENT = \(schema.storeNumber)"]
        let orders = slots.compactMap { Self.orderReset(of: $0, binding) }
        let list = (["Z_OPT = ?1"] + entity + values + orders).joined(separator: ", ")
        let statement = try save.connection.statement(
            "UPDATE \(schema.table) SET \(list) WHERE Z_PK = ?2 AND \(StoredVersion.column) = ?3")
        return Plan(
            binding, statement,
            references: try schema.referencesStatement(among: slots, on: save.connection))
    }

    /// Returns the assignment that clears an order key when the owner changes, because the key has
    /// no meaning among another owner's members.
    private static func orderReset(of column: SlotColumn, _ binding: RowBinding) -> String? {
        guard case .toOne(let key, _, let order?) = column.form,
            let index = binding.columns.firstIndex(of: key)
        else { return nil }
        // The right side of an assignment sees the old row.
        return "\(order) = CASE WHEN \(key) IS ?\(index + 4) THEN \(order) END"
    }

    private func references(_ plan: Plan, _ row: Row) throws(StoreError) -> [String] {
        guard let statement = plan.references else { return [] }
        return try statement.externalNames(ofKey: row.key)
    }

    /// Returns the files that the new row still refers to.
    private func keptReferences(_ row: Row) -> Set<String> {
        let layout = save.schema.map.layouts.layout(of: row.entity)
        let names = (layout?.slots ?? []).compactMap { slot -> String? in
            guard slot.kind == .externalBinary, !row.isNull(slot),
                case .reference(let reference) = row.externalBinary(slot)
            else { return nil }
            return reference.name
        }
        return Set(names)
    }
}

extension EntitySchema {
    /// Returns a statement that reads the external-data columns of the row with a given key.
    /// Returns `nil` if none of the slots is such a column.
    ///
    /// - Throws: `.engineFailure`.
    func referencesStatement(
        among slots: [SlotColumn], on connection: SQLiteConnection
    ) throws(StoreError) -> SQLiteStatement? {
        let columns = slots.filter { $0.slot.kind == .externalBinary }.compactMap(\.name)
        guard !columns.isEmpty else { return nil }
        let list = columns.map(\.description).joined(separator: ", ")
        return try connection.statement("SELECT \(list) FROM \(table) WHERE Z_PK = ?")
    }
}

extension SQLiteStatement {
    /// Returns the names of the external files in a row's columns.
    fileprivate func names() throws(StoreError) -> [String] {
        defer { reset() }
        guard try step() else { return [] }
        return (0..<columnCount).compactMap { ExternalDataWriter.name(in: bytes(at: $0)) }
    }

    /// Returns the names of the external files of the row with the given key.
    ///
    /// - Throws: `.corrupt` or `.engineFailure`.
    func externalNames(ofKey key: Int64) throws(StoreError) -> [String] {
        try bind(key, at: 1)
        return try names()
    }
}
