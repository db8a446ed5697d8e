import CairnModel
import CairnStore
import CairnTestSupport
import CoreDataChecks
import Foundation
import Testing

@testable import CairnSQLite

/// A store that is migrated in place, and everything that must then be true of it.
struct MigrationSubject {
    let folder: TemporaryFolder
    let url: URL
    let changes: ModelCorrespondence
    var configuration: String?

    /// Makes a store of the old version.
    init(
        _ old: ManagedObjectModel, _ new: ManagedObjectModel, configuration: String? = nil,
        objectCount: Int = 4
    ) throws {
        folder = try TemporaryFolder()
        url = folder.file("store.sqlite")
        changes = ModelCorrespondence(from: old, to: new)
        self.configuration = configuration
        let subject = try SavingStore(request(old))
        try SampleObjects(fill: subject, count: objectCount)
        try subject.store.close()
    }

    init(_ old: [EntityDescription], _ new: [EntityDescription]) throws {
        try self.init(try ManagedObjectModel(old), try ManagedObjectModel(new))
    }

    /// A copy of a store that is there.
    init(copyOf path: String, _ changes: ModelCorrespondence) throws {
        folder = try TemporaryFolder()
        url = try Corpus.copy(path, into: folder.url)
        self.changes = changes
    }

    func request(_ model: ManagedObjectModel) -> OpenRequest {
        OpenRequest(location: .file(url), model: model, configuration: configuration)
    }

    /// Migrates the store. Returns `false` if it has to be copied.
    func migrate() throws -> Bool {
        try SQLiteStore.migrateInPlace(request(changes.new), changes)
    }

    /// Reads all objects, and closes the store.
    func objects(_ model: ManagedObjectModel) throws -> [StoredObject] {
        let store = try SQLiteStore.open(request(model))
        defer { try? store.close() }
        return try StoredObject.all(in: store)
    }

    // MARK: Checks

    /// Migrates, and checks that the store is what the rules say.
    ///
    /// - Parameter ignoresJoinNames: as ``StoreSchema/differences(from:ignoresJoinNames:)``.
    func migrateAndCheck(
        ignoresJoinNames: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let before = try objects(changes.old)
        let metadata = try SQLiteStore.metadata(at: .file(url))
        let bytes = try Data(contentsOf: url)

        let isMigrated = try migrate()

        let steps = SQLiteStore.stepsInPlace(changes, configuration: configuration)
        #expect(isMigrated, sourceLocation: sourceLocation)
        #expect(steps?.isEmpty == false, sourceLocation: sourceLocation)
        guard isMigrated else {
            let after = try Data(contentsOf: url)
            #expect(bytes == after, sourceLocation: sourceLocation)
            return
        }
        try checkObjects(before, sourceLocation)
        try checkSchema(ignoresJoinNames, sourceLocation)
        try checkBookkeeping(metadata, sourceLocation)
        try checkSaving(sourceLocation)
    }

    private func checkObjects(
        _ before: [StoredObject], _ sourceLocation: SourceLocation
    ) throws {
        let expected = ExpectedObjects(changes, before).objects().sorted(by: precedes)
        let found = try objects(changes.new).sorted(by: precedes)
        #expect(found.count == expected.count, sourceLocation: sourceLocation)
        for (found, expected) in zip(found, expected) {
            #expect(found == expected, sourceLocation: sourceLocation)
        }
        let store = try SQLiteStore.open(request(changes.new))
        let disagreements = try store.findDisagreements()
        #expect(disagreements == [], sourceLocation: sourceLocation)
        try store.close()
        let check = CoreDataStoreCheck(sql: try PlainSQL(url), model: changes.new)
        let problems = try check.problems().filter {
            // Of a configuration the check knows nothing.
            configuration == nil || !$0.hasPrefix("Z_PRIMARYKEY has")
        }
        #expect(problems == [], sourceLocation: sourceLocation)
    }

    private func precedes(_ left: StoredObject, _ right: StoredObject) -> Bool {
        (left.reference.entity, left.reference.key) < (right.reference.entity, right.reference.key)
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
        _ before: StoreMetadata, _ sourceLocation: SourceLocation
    ) throws {
        let after = try SQLiteStore.metadata(at: .file(url))
        #expect(after.identifier == before.identifier, sourceLocation: sourceLocation)
        #expect(
            after.entityVersionHashes == changes.new.entityVersionHashes,
            sourceLocation: sourceLocation)
        #expect(
            after.values[MetadataTable.Key.digest] == .string(changes.new.versionHashesDigest),
            sourceLocation: sourceLocation)
        let cached = try #require(try SQLiteStore.model(at: .file(url)))
        let model = try ManagedObjectModel(cached)
        let changes = ModelChanges(from: model, to: changes.new)
        #expect(changes.entities.isEmpty, sourceLocation: sourceLocation)
    }

    /// New objects can be saved and have keys of their own.
    private func checkSaving(_ sourceLocation: SourceLocation) throws {
        let subject = try SavingStore(request(changes.new))
        let entities = changes.new.entities.filter {
            !$0.isAbstract && subject.store.schema.map.schema(of: $0) != nil
        }
        var counts: [EntityNumber: Int] = [:]
        for entity in entities { counts[entity.rootEntity.number, default: 0] += 1 }
        let save = try subject.store.beginSave()
        let keys = try save.reserveKeys(counts)
        var next = keys.mapValues(\.lowerBound)
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
        try subject.store.close()
    }
}
