import Cairn
import CairnTestSupport
import Foundation
import Testing

/// Real stores go from engine to engine and come back as they were.
@Suite(.enabled(if: Corpus.isThere)) struct `Copying real stores` {
    private static let paths = Corpus.storePaths.filter {
        (Corpus.stores[$0]?.framework ?? 0) >= 637
    }

    private func dump(_ store: URL) throws -> Data {
        let run = try ToolRun(["store", "dump", store.path])
        #expect(run.exitCode == 0, "\(run.errorText)")
        return run.output
    }

    private func copy(_ source: URL, to destination: URL, _ type: String) throws {
        let run = try ToolRun(["store", "copy", source.path, destination.path, "--type", type])
        #expect(run.exitCode == 0, "\(run.errorText)")
        // No terminal reads it.
        #expect(run.errorText.isEmpty)
    }

    private func model(of store: URL) throws -> ManagedObjectModel {
        let location = StoreLocation.file(store)
        let description = try #require(try SQLiteStore.model(at: location))
        return try ManagedObjectModel(
            description, recordedHashes: SQLiteStore.metadata(at: location).entityVersionHashes)
    }

    /// Brings a store into memory and from there to a file.
    private func moveThroughMemory(
        _ source: URL, to destination: URL, _ model: ManagedObjectModel
    ) throws {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        let first = try coordinator.addPersistentStore(ofType: .binary, at: source)
        let inMemory = try coordinator.migratePersistentStore(first, to: nil, type: .inMemory)
        let last = try coordinator.migratePersistentStore(
            inMemory, to: destination, type: .sqlite)
        try coordinator.remove(last)
    }

    /// Version of each row, by root entity and key.
    private func versions(_ store: URL, _ model: ManagedObjectModel) throws -> [[Int64]] {
        let opened = try SQLiteStore.open(
            OpenRequest(
                location: .file(store), model: model, isReadOnly: true, createsMissing: false))
        let snapshot = try opened.snapshot()
        var versions: [[Int64]] = []
        for root in model.entities where root.superentity == nil {
            let cursor = try snapshot.cursor(FetchPlan(entity: root))
            while let batch = try cursor.next(atMost: 500) {
                versions += batch.rows.map { [Int64($0.rootEntity.rawValue), $0.key, $0.version] }
            }
        }
        try opened.close()
        return versions
    }

    @Test(arguments: paths)
    func `SQLite, LMDB, XML, Binary, memory and SQLite again hold the same`(_ path: String) throws {
        let folder = try TemporaryFolder()
        let source = try Corpus.copy(path, into: folder.url)
        let (lmdb, sqlite) = (folder.file("copy.lmdb"), folder.file("copy.sqlite"))
        let (xml, binary) = (folder.file("copy.xml"), folder.file("copy.binary"))
        let model = try model(of: source)
        let wanted = try dump(source)

        try copy(source, to: lmdb, "LMDB")
        try copy(lmdb, to: xml, "XML")
        try copy(xml, to: binary, "Binary")
        try moveThroughMemory(binary, to: sqlite, model)

        #expect(try dump(lmdb) == wanted)
        #expect(try dump(xml) == wanted)
        #expect(try dump(binary) == wanted)
        #expect(try dump(sqlite) == wanted)
        #expect(try versions(sqlite, model) == versions(source, model))
        #expect(try CoreDataStoreCheck(sql: PlainSQL(sqlite), model: model).problems() == [])
        #expect(try SoundStore.problems(of: sqlite) == [])
    }
}
