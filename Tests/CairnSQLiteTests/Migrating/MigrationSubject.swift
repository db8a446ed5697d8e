import CairnModel
import CairnRows
import CairnStore
import CairnTestSupport
import CoreDataCheckSupport
import Foundation
import MigrationSupport
import Testing

@testable import CairnSQLite

/// A store to migrate in place, with checks of the result.
struct MigrationSubject {
    let folder: TemporaryFolder
    let url: URL
    let changes: ModelCorrespondence
    let configuration: String?
    /// The objects before the migration.
    let before: StoreImage
    private let identifier: String

    /// Creates a store of the old version, with objects of each entity.
    init(
        _ old: ManagedObjectModel, _ new: ManagedObjectModel, configuration: String? = nil,
        objectCount: Int = 4
    ) throws {
        folder = try TemporaryFolder()
        url = folder.file("store.sqlite")
        changes = ModelCorrespondence(from: old, to: new)
        self.configuration = configuration
        let subject = try SavingStore(
            OpenRequest(location: .file(url), model: old, configuration: configuration))
        var random = try RandomStore(subject.store, seed: 1, countOfEach: objectCount)
        try random.fill()
        before = try StoreImage(subject.store)
        identifier = try subject.store.metadata().identifier
        try subject.store.close()
    }

    init(_ old: [EntityDescription], _ new: [EntityDescription]) throws {
        try self.init(try ManagedObjectModel(old), try ManagedObjectModel(new))
    }

    /// Copies a store that was written with the old version.
    init(copyOf path: String, _ changes: ModelCorrespondence) throws {
        folder = try TemporaryFolder()
        url = try Corpus.copy(path, into: folder.url)
        self.changes = changes
        configuration = nil
        let store = try SQLiteStore.open(
            OpenRequest(location: .file(url), model: changes.old, createsMissing: false))
        before = try StoreImage(store)
        identifier = try store.metadata().identifier
        try store.close()
    }

    func request(_ model: ManagedObjectModel) -> OpenRequest {
        OpenRequest(
            location: .file(url), model: model, configuration: configuration,
            createsMissing: false)
    }

    /// Migrates the store. Returns `false` if the store has to be copied instead.
    func migrate() throws -> Bool {
        try SQLiteStore.migrateInPlace(request(changes.new), changes, defersCleanup: false) {
            _, _ in true
        }
    }

    /// Runs statements on the file, as another program would.
    func run(_ sql: String) throws {
        let connection = try SQLiteConnection(
            path: url.path, mode: .readWrite, location: .file(url))
        try connection.execute(sql)
        try connection.enableCleanupOnClose()
    }

    // MARK: Checks

    /// Migrates the store, and checks that the result follows the rules.
    ///
    /// - Parameter ignoresJoinNames: See ``StoreSchema/differences(from:ignoresJoinNames:)``.
    func migrateAndCheck(
        ignoresJoinNames: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let isMigrated = try migrate()

        let steps = SQLiteStore.stepsInPlace(
            changes, configuration: configuration, defersCleanup: false)
        #expect(isMigrated, sourceLocation: sourceLocation)
        #expect(steps?.isEmpty == false, sourceLocation: sourceLocation)
        guard isMigrated else { return }
        try checkSchema(ignoresJoinNames, sourceLocation)
        let problems = try CoreDataStoreCheck(sql: try PlainSQL(url), model: changes.new)
            .problems().filter {
                // The check does not take configurations into account.
                configuration == nil || !$0.hasPrefix("Z_PRIMARYKEY has")
            }
        #expect(problems == [], sourceLocation: sourceLocation)
        let subject = try SavingStore(request(changes.new))
        try checkObjects(in: subject.store, sourceLocation)
        try checkBookkeeping(of: subject.store, sourceLocation)
        try checkSaving(in: subject, sourceLocation)
        try subject.store.close()
    }

    /// Checks that the objects are those that the rules of inference produce.
    func checkObjects(
        in store: SQLiteStore, _ sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let oracle = MigrationOracle(from: changes.old, to: changes.new)
        let found = oracle.comparable(try StoreImage(store))
        let differences = found.differences(from: oracle.migrated(before))
        let disagreements = try store.findDisagreements()
        #expect(differences == [], sourceLocation: sourceLocation)
        #expect(disagreements == [], sourceLocation: sourceLocation)
    }

    private func checkSchema(
        _ ignoresJoinNames: Bool, _ sourceLocation: SourceLocation
    ) throws {
        let fresh = folder.file("fresh.sqlite")
        let connection = try SQLiteConnection(
            path: fresh.path, mode: .create, location: .file(fresh))
        let map = try #require(InPlacePlan.fresh(changes.new, configuration))
        try connection.execute("PRAGMA synchronous = OFF; BEGIN")
        for statement in SchemaBuilder(map: map).statements() { try connection.execute(statement) }
        try PrimaryKeyTable(connection: connection).create(map.entities)
        try connection.execute("COMMIT")
        let differences = try StoreSchema(url).differences(
            from: StoreSchema(fresh), ignoresJoinNames: ignoresJoinNames)
        #expect(differences == [], sourceLocation: sourceLocation)
    }

    private func checkBookkeeping(
        of store: SQLiteStore, _ sourceLocation: SourceLocation
    ) throws {
        let metadata = try store.metadata()
        #expect(metadata.identifier == identifier, sourceLocation: sourceLocation)
        #expect(
            metadata.entityVersionHashes == changes.new.entityVersionHashes,
            sourceLocation: sourceLocation)
        #expect(
            metadata.values[MetadataTable.Key.digest] == .string(changes.new.versionHashesDigest),
            sourceLocation: sourceLocation)
        let cached = try #require(try SQLiteStore.model(at: .file(url)))
        let entities = ModelChanges(from: try ManagedObjectModel(cached), to: changes.new).entities
        #expect(entities.isEmpty, sourceLocation: sourceLocation)
    }

    /// Checks that new objects can be saved and receive unused keys.
    private func checkSaving(
        in subject: SavingStore, _ sourceLocation: SourceLocation
    ) throws {
        let entities = changes.new.entities.filter {
            !$0.isAbstract && subject.store.schema.map.schema(of: $0) != nil
        }
        var counts: [EntityNumber: Int] = [:]
        for entity in entities { counts[entity.rootEntity.number, default: 0] += 1 }
        let save = try subject.store.beginSave()
        var next = try save.reserveKeys(counts).mapValues(\.lowerBound)
        let rows = try entities.map { entity in
            let root = entity.rootEntity.number
            let key = try #require(next[root])
            next[root] = key + 1
            return try subject.row(entity.name, key)
        }
        try save.prepare(SaveRequest(inserted: RowBatch(rows)))
        _ = try save.commit()
        let integrity = try subject.sql("PRAGMA integrity_check")
        #expect(integrity == ["ok"], sourceLocation: sourceLocation)
    }
}
