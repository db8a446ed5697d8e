import CairnModel
import CairnStore
import CairnTestSupport
import Foundation
import Testing

@testable import CairnSQLite

@Suite struct `Corpus stores` {
    @Test(arguments: Corpus.storePaths)
    func `identify themselves`(_ path: String) throws {
        let expected = try #require(Corpus.stores[path])
        let folder = try TemporaryFolder()
        let store = try Corpus.copy(path, into: folder.url)

        let metadata = try SQLiteStore.metadata(at: .file(store))

        #expect(SQLiteStore.recognizes(.file(store)))
        #expect(metadata.identifier == expected.uuid)
        #expect(metadata.frameworkVersion == expected.framework)
        #expect(metadata.entityVersionHashes.mapValues(\.description) == expected.hashes)
    }

    @Test(arguments: Corpus.storePaths)
    func `contain the recorded numbers of rows`(_ path: String) throws {
        let expected = try #require(Corpus.stores[path])
        let folder = try TemporaryFolder()
        guard let opened = try CorpusStore(path, in: folder) else { return }
        let store = try SQLiteStore.open(opened.request)

        var counts: [String: Int] = [:]
        for entity in store.request.model.entities {
            let schema = try #require(store.schema.map.schema(of: entity))
            // After a migration in place, the store still lists the previous name.
            let name =
                expected.counts[entity.name] == nil ? entity.renamingIdentifier : entity.name
            counts[name] = try opened.integer(
                "SELECT count(*) FROM \(schema.table) WHERE Z_ENT = \(schema.storeNumber)")
        }

        #expect(counts == expected.counts)
        try store.close()
    }

    @Test(arguments: Corpus.wholeStorePaths)
    func `have the tables and indexes that Core Data created`(_ path: String) throws {
        let expected = try #require(Corpus.stores[path])
        let folder = try TemporaryFolder()
        guard let original = try CorpusStore(path, in: folder) else { return }
        let inPlace = ["SampleModel_V2", "CoreDataMigration_Example_2"]
        let framework = expected.framework ?? 0
        guard framework >= 836, !inPlace.contains(where: path.contains) else { return }
        let made = folder.file("made.sqlite")
        var request = original.request
        request.location = .file(made)
        request.createsMissing = true
        let store = try SQLiteStore.open(request)
        try store.close()

        let ours = try Schema(of: made)
        let theirs = try Schema(of: original.url)

        #expect(ours.tables == theirs.tables)
        #expect(ours.triggers == theirs.triggers)
        #expect(theirs.indexes.subtracting(ours.indexes).isEmpty)
        // Before framework version 1000, a fetch index of a single attribute had no index of its own name.
        if framework > 1000 { #expect(ours.indexes == theirs.indexes) }
    }

    @Test(arguments: Corpus.storePaths)
    func `open read-only without a change to any file`(_ path: String) throws {
        let folder = try TemporaryFolder()
        guard let opened = try CorpusStore(path, in: folder) else { return }
        let before = try folder.contents()
        var request = opened.request
        request.isReadOnly = true

        let store = try SQLiteStore.open(request)
        #expect(throws: StoreError.self) { try store.beginSave() }
        try store.close()

        let after = try folder.contents().filter { !$0.key.hasSuffix("-shm") }
        #expect(after == before.filter { !$0.key.hasSuffix("-shm") })
    }
}

/// A copy of a corpus store, with a request that opens it.
struct CorpusStore {
    let url: URL
    let request: OpenRequest

    /// Copies a store of the corpus. Returns `nil` if the store contains no model.
    init?(_ path: String, in folder: TemporaryFolder) throws {
        url = try Corpus.copy(path, into: folder.url)
        guard let cached = try SQLiteStore.model(at: .file(url)) else { return nil }
        let hashes = try SQLiteStore.metadata(at: .file(url)).entityVersionHashes
        let model = try ManagedObjectModel(cached, recordedHashes: hashes)
        request = OpenRequest(location: .file(url), model: model, createsMissing: false)
    }

    /// Returns the integer that a query yields, through a separate connection.
    func integer(_ sql: String) throws -> Int {
        let connection = try SQLiteConnection(
            path: url.path, mode: .readOnly, location: .file(url))
        let statement = try connection.statement(sql)
        return try statement.step() ? Int(statement.int64(at: 0)) : 0
    }
}

/// The statements that created a database's tables, indexes and triggers.
private struct Schema {
    var tables: Set<String> = []
    var indexes: Set<String> = []
    var triggers: Set<String> = []

    init(of url: URL) throws {
        let connection = try SQLiteConnection(
            path: url.path, mode: .readOnly, location: .file(url))
        let select = try connection.statement(
            "SELECT type, sql, tbl_name FROM sqlite_master WHERE sql IS NOT NULL")
        while try select.step() {
            let (type, sql) = (select.text(at: 0), select.text(at: 1) ?? "")
            // History tables are created by an option, not by the model.
            if select.text(at: 2)?.hasPrefix("A") ?? false { continue }
            switch type {
            case "table": tables.insert(Self.withoutOrderOfKeys(sql))
            case "index": indexes.insert(sql)
            default: triggers.insert(sql)
            }
        }
    }

    /// Returns the statement with its order-key columns sorted, because their order is not known.
    private static func withoutOrderOfKeys(_ sql: String) -> String {
        let columns = sql.components(separatedBy: ", ")
        let keys = columns.filter { $0.hasPrefix("Z_FOK_") }.sorted()
        return (columns.filter { !$0.hasPrefix("Z_FOK_") } + keys).joined(separator: ", ")
    }
}

extension TemporaryFolder {
    /// Returns the bytes of each file.
    func contents() throws -> [String: Data] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: url.path)
        return Dictionary(
            uniqueKeysWithValues: names.compactMap { name in
                (try? Data(contentsOf: url.appending(path: name))).map { (name, $0) }
            })
    }
}
