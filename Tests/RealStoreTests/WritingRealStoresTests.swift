import Cairn
import CairnStore
import CairnTestSupport
import CoreDataCheckSupport
import Foundation
import Testing

/// After Cairn writes to real stores, they still have the form of Core Data's stores.
@Suite(.enabled(if: Corpus.isThere)) struct `Writing real stores` {
    private static let paths = Corpus.wholeStorePaths.filter(
        Corpus.storePathsWithModel.contains)

    private func model(of store: URL) throws -> ManagedObjectModel {
        let location = StoreLocation.file(store)
        let description = try #require(try SQLiteStore.model(at: location))
        return try ManagedObjectModel(
            description,
            recordedHashes: try SQLiteStore.metadata(at: location).entityVersionHashes)
    }

    private func edit(
        _ store: URL, _ model: ManagedObjectModel,
        _ body: @Sendable (inout StoreEdit) throws -> Void
    ) throws -> StoreEdit.Log {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model, registry: .builtIn)
        let added = try coordinator.addPersistentStore(
            ofType: "SQLite", configurationName: nil, at: store, options: [:])
        let log = try ContextHandle(source: coordinator).performAndWait { context in
            var edit = StoreEdit(context)
            try body(&edit)
            return edit.log
        }
        try coordinator.remove(added)
        return log
    }

    @Test(arguments: paths)
    func `by inserting, updating, relating and deleting keeps them intact`(
        _ path: String
    ) throws {
        let folder = try TemporaryFolder()
        let store = try Corpus.copy(path, into: folder.url)
        let model = try model(of: store)
        let schema = try CoreDataStoreCheck(sql: PlainSQL(store), model: model).schema()

        let log = try edit(store, model) { edit in
            try edit.insertOneOfEach()
            try edit.updateOneOfEach()
            try edit.relateInserted()
        }

        let check = CoreDataStoreCheck(sql: try PlainSQL(store), model: model)
        #expect(try check.problems() == [])
        #expect(try check.schema() == schema)
        #expect(log.inserted.count == model.entities.count { !$0.isAbstract })
        #expect(log.relatedPairs > 0 || model.entities.allSatisfy(\.relationships.isEmpty))
        let verified = try SoundStore.problems(of: store)
        #expect(verified == [])
    }

    @Test(arguments: paths)
    func `with a named save adds only a table of ours`(
        _ path: String
    ) throws {
        let folder = try TemporaryFolder()
        let store = try Corpus.copy(path, into: folder.url)
        let model = try model(of: store)
        let before = CoreDataStoreCheck(sql: try PlainSQL(store), model: model)
        let (schema, metadata) = (
            try before.schema(), try before.sql.rows("SELECT * FROM Z_METADATA")
        )
        let id = SaveID()

        _ = try edit(store, model) { edit in try edit.insertOneOfEach(named: id) }

        let check = CoreDataStoreCheck(sql: try PlainSQL(store), model: model)
        #expect(try check.problems() == [])
        #expect(try check.schema().filter { !$0.contains("CAIRN_SAVES") } == schema)
        #expect(try check.sql.rows("SELECT * FROM Z_METADATA") == metadata)
        #expect(try check.sql.integer("SELECT count(*) FROM CAIRN_SAVES") == 1)
        let verified = try SoundStore.problems(of: store)
        #expect(verified == [])
        let again = try SQLiteStore.open(OpenRequest(location: .file(store), model: model))
        #expect(try again.outcome(of: id) == .saved)
        try again.close()
    }

    @Test(arguments: paths)
    func `by deleting what was inserted keeps them intact`(_ path: String) throws {
        let folder = try TemporaryFolder()
        let store = try Corpus.copy(path, into: folder.url)
        let model = try model(of: store)

        let log = try edit(store, model) { edit in
            try edit.insertOneOfEach()
            try edit.relateInserted()
            try edit.deleteInserted()
        }

        let check = CoreDataStoreCheck(sql: try PlainSQL(store), model: model)
        #expect(!log.deleted.isEmpty)
        #expect(try check.problems() == [])
        let verified = try SoundStore.problems(of: store)
        #expect(verified == [])
    }

    @Test(arguments: paths)
    func `with an update raises only the version of its row, by one`(_ path: String) throws {
        let folder = try TemporaryFolder()
        let store = try Corpus.copy(path, into: folder.url)
        let model = try model(of: store)
        let before = try versions(PlainSQL(store), model)

        let log = try edit(store, model) { try $0.updateOneOfEach() }

        let after = try versions(PlainSQL(store), model)
        var expected = before
        for update in log.updated {
            let root = try #require(model.entity(numbered: update.id.rootEntity))
            expected[VersionKey(table: root.name, key: update.id.key)]? += 1
        }
        #expect(after == expected)
        #expect(!log.updated.isEmpty || before.isEmpty)
    }

    private struct VersionKey: Hashable {
        let table: String
        let key: Int64
    }

    private func versions(
        _ sql: PlainSQL, _ model: ManagedObjectModel
    ) throws -> [VersionKey: Int64] {
        var versions: [VersionKey: Int64] = [:]
        for root in model.entities where root.superentity == nil {
            let name = root.renamingIdentifier.uppercased()
            let known = try sql.rows("PRAGMA table_info(\"Z\(name)\")")
            let table = known.isEmpty ? root.name.uppercased() : name
            for row in try sql.rows("SELECT Z_PK, Z_OPT FROM \"Z\(table)\"") {
                let key = VersionKey(table: root.name, key: row[0].integer ?? -1)
                versions[key] = row[1].integer ?? -1
            }
        }
        return versions
    }
}

/// Runs `cairn store verify` on a store.
enum SoundStore {
    static func problems(of store: URL) throws -> [String] {
        let run = try ToolRun(["store", "verify", store.path])
        return run.exitCode == 0 ? [] : [run.text, run.errorText]
    }
}
