import CairnModel
import CairnRows
import CairnSQL
import CairnStore
import Foundation

/// One migration in place, inside an open transaction.
struct InPlaceMigration {
    let plan: InPlacePlan
    let connection: SQLiteConnection
    /// The tables before the migration.
    let catalog: SchemaCatalog
    /// Whether columns of removed properties are kept.
    let defersCleanup: Bool

    private var location: StoreLocation { connection.location }

    /// Migrates the store, or finds that the store has to be copied.
    ///
    /// - Parameter report: Takes the number of steps that are done and of all steps. Its result
    ///   decides whether to continue.
    /// - Returns: The names of external files that no row refers to any more, or `nil` if the store
    ///   has to be copied. In that case the transaction must be rolled back.
    /// - Throws: `.cancelled`, `.modelMismatch`, `.migrationRefused`, `.unsupported`, `.notAStore`, `.corrupt` or
    ///   `.engineFailure`.
    static func run(
        _ request: OpenRequest, _ changes: ModelCorrespondence, defersCleanup: Bool,
        on connection: SQLiteConnection, reporting report: (_ done: Int, _ total: Int) -> Bool
    ) throws(StoreError) -> [String]? {
        let inspection = try StoreInspection(connection)
        let oldRequest = OpenRequest(
            location: request.location, model: changes.old, isReadOnly: true, createsMissing: false)
        let oldMap = try inspection.map(oldRequest, try inspection.metadata())
        let newMap = try newMap(request, changes.new)
        guard let plan = InPlacePlan(changes, from: oldMap, to: newMap) else { return nil }
        let migration = InPlaceMigration(
            plan: plan, connection: connection, catalog: inspection.catalog,
            defersCleanup: defersCleanup)
        do {
            return try migration.run(report)
        } catch .engineFailure(let failure) where Self.leavesToCopying.contains(failure.code & 0xff)
        {
            return nil
        }
    }

    /// SQLite's error codes after which the store is copied instead. `SQLITE_ERROR`: a view,
    /// trigger or index of another program prevents a change of its table. `SQLITE_CONSTRAINT`: a
    /// default value or a moved value violates a uniqueness constraint that remains. Copying
    /// reports which objects have the value.
    private static let leavesToCopying: Set<Int> = [1, 19]

    private static func newMap(
        _ request: OpenRequest, _ model: ManagedObjectModel
    ) throws(StoreError) -> SchemaMap {
        let entities: StoreEntities
        do {
            entities = try StoreEntities(creating: model, configuration: request.configuration)
        } catch {
            throw .unsupported(
                request.location, feature: "a configuration that the model does not have",
                advice: "\(error)")
        }
        let layouts = request.layouts.model === model ? request.layouts : RowLayouts(model)
        let map = SchemaMap(creating: entities, layouts: layouts)
        try SchemaBuilder(map: map).requireColumnsWithinLimit(at: request.location)
        return map
    }

    // MARK: Steps

    private func run(
        _ report: (_ done: Int, _ total: Int) -> Bool
    ) throws(StoreError) -> [String]? {
        // The columns of each table are changed in one step and dropped in another. The commit is the
        // last step.
        let total = 2 * plan.tables.count + 6
        var done = 0
        func endStep() throws(StoreError) {
            done += 1
            if !report(done, total) { throw .cancelled }
        }
        guard try StoreSuitability(migration: self).isSuitable() else { return nil }
        try requireNoObjectsOfAbstractEntities()
        _ = try connection.registerTriggerFunctions()
        let obsolete = try ObsoleteFiles(migration: self).names()
        let indexes = try IndexMigration(migration: self)
        let triggers = TriggerMigration(migration: self)
        try triggers.drop()
        try RemovedRows(migration: self).run()
        try endStep()
        let tables = TableMigration(migration: self)
        guard try tables.rename(), try tables.changeColumns(endStep) else { return nil }
        let numbering = EntityRenumbering(plan: plan, connection: connection)
        try numbering.run()
        try endStep()
        try tables.createTables()
        try tables.compute()
        try endStep()
        guard let map = try actualMap() else { return nil }
        try requireValues(map)
        try indexes.dropUnwanted(map)
        try tables.dropColumns(endStep)
        try indexes.createMissing()
        try endStep()
        try triggers.create(map)
        try HistoryMigration(migration: self, newMap: map).run()
        try recordVersion()
        try endStep()
        return obsolete
    }

    /// Returns the tables and columns that the new version has at this point, or `nil` if any is
    /// missing.
    private func actualMap() throws(StoreError) -> SchemaMap? {
        let catalog = try SchemaCatalog(reading: connection)
        do {
            return try SchemaMap(
                matching: plan.newMap.entities, layouts: plan.newMap.layouts, catalog: catalog,
                at: location)
        } catch .corrupt {
            return nil
        }
    }

    private func requireNoObjectsOfAbstractEntities() throws(StoreError) {
        var findings: [InferenceFinding] = []
        for (entity, _) in plan.newMap.entities.entities where entity.isAbstract {
            guard let old = plan.pairs.old(of: entity), let schema = plan.oldMap.schema(of: old)
            else { continue }
            let rows = try connection.statement(
                "SELECT 1 FROM \(schema.table) WHERE Z_ENT = \(schema.storeNumber) LIMIT 1")
            defer { rows.reset() }
            guard try rows.step() else { continue }
            findings.append(
                InferenceFinding(
                    entity.name, nil,
                    "it is now abstract, but the store contains objects of this entity itself; delete"
                        + " them with the old version, or leave the entity concrete"))
        }
        guard findings.isEmpty else { throw .migrationRefused(location, findings: findings) }
    }

    /// - Throws: `.migrationRefused` if objects have no value of a property that is now required.
    private func requireValues(_ map: SchemaMap) throws(StoreError) {
        var findings: [InferenceFinding] = []
        for (entity, _) in map.entities.entities where plan.pairs.old(of: entity) != nil {
            guard let schema = map.schema(of: entity) else { continue }
            for slot in schema.slots {
                guard let finding = plan.pairs.changes.demand(for: slot.property, of: entity)
                else { continue }
                let columns = ModelColumn.all(of: slot).filter {
                    $0.role == .value || $0.role == .key
                }
                let isMissing = columns.map { "\($0.name) IS NULL" }.joined(separator: " AND ")
                let rows = try connection.statement(
                    "SELECT 1 FROM \(schema.table) WHERE Z_ENT = \(schema.storeNumber)"
                        + " AND \(isMissing) LIMIT 1")
                defer { rows.reset() }
                if try rows.step() { findings.append(finding) }
            }
        }
        guard findings.isEmpty else { throw .migrationRefused(location, findings: findings) }
    }

    private func recordVersion() throws(StoreError) {
        let model = plan.newMap.model
        try PrimaryKeyTable(connection: connection).replaceEntities(plan)
        try MetadataTable(connection: connection).setModel(model)
        if !catalog.hasTable(SQLName("Z_MODELCACHE")) {
            try connection.execute(SchemaBuilder.modelCacheTable)
        }
        try ModelCacheTable(connection: connection).replace(model)
    }
}

extension SQLiteStore: InPlaceMigratingStore {
    /// Plans the SQL for a store that was created with the old version. The cost grows with the
    /// size of the two versions.
    package static func stepsInPlace(
        _ changes: ModelCorrespondence, configuration: String?, defersCleanup: Bool
    ) -> [InPlaceStep]? {
        InPlacePlan.withoutStore(changes, configuration: configuration)?
            .steps(defersCleanup: defersCleanup)
    }

    /// Changes the tables with SQL, in one transaction.
    ///
    /// The cost grows with the number of rows whose values, references or entity numbers change.
    /// Adding an optional attribute without a default value takes the same time in a store of any
    /// size. Dropping a column rewrites its table. This method also returns `false` if the database
    /// has triggers, columns or tables that do not allow a change.
    ///
    /// External files that no row refers to any more are removed after the commit.
    ///
    /// - Throws: The errors of
    ///   ``CairnStore/InPlaceMigratingStore/migrateInPlace(_:_:defersCleanup:reporting:)``;
    ///   `.readOnly` if the request or the file is read-only.
    package static func migrateInPlace(
        _ request: OpenRequest, _ changes: ModelCorrespondence, defersCleanup: Bool,
        reporting report: (_ done: Int, _ total: Int) -> Bool
    ) throws(StoreError) -> Bool {
        _ = try SQLiteOptions(request.options)
        guard !request.isReadOnly else { throw .readOnly(request.location) }
        let files = try SQLiteFiles(request.location)
        try FileSniffer(files: files).requireDatabase()
        let obsolete = try SQLiteExclusiveUse(files: files).runTransaction {
            (connection) throws(StoreError) in
            try request.location.requireNoPendingSave()
            return try InPlaceMigration.run(
                request, changes, defersCleanup: defersCleanup, on: connection,
                reporting: report)
        }
        guard let obsolete else { return false }
        files.externalData.remove(obsolete)
        return true
    }

    /// Returns whether the store has columns that a migration has kept to be dropped later.
    package func hasDeferredSteps() throws(StoreError) -> Bool {
        try readers.checkOut().withConnection { (connection) throws(StoreError) in
            try DeferredColumn.first(in: connection) != nil
        }
    }

    /// Drops one of the columns that a migration has kept. This rewrites its table.
    package func finishDeferredStep() throws(StoreError) -> Bool {
        // A store without such columns may be read-only, and no saver waits for it.
        guard try hasDeferredSteps() else { return false }
        return try begin().dropDeferredColumn()
    }
}
