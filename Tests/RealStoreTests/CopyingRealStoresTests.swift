import Cairn
import CairnStore
import CairnTestSupport
import CoreDataCheckSupport
import Foundation
import Testing

/// Real stores are copied from engine to engine and back without any difference.
///
/// The stores are found by searching the folders of the corpus, so that newly added stores are tested.
@Suite(.enabled(if: Corpus.isThere)) struct `Copying real stores` {
    /// Copies a store into memory, and from there into a file.
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

    /// Returns the version of each row, by root entity and key.
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

    @Test(arguments: Corpus.storePaths)
    func `through SQLite, LMDB, XML, Binary, memory and SQLite keeps their contents`(_ path: String)
        throws
    {
        let folder = try TemporaryFolder()
        let source = try RealStore(path, in: folder)
        // The models of some stores written before iOS 9 are not available.
        guard let model = try source.model() else { return }
        let (lmdb, sqlite) = (folder.file("copy.lmdb"), folder.file("copy.sqlite"))
        let (xml, binary) = (folder.file("copy.xml"), folder.file("copy.binary"))
        let wanted = try source.dump()

        try source.copy(to: lmdb, "LMDB")
        let first = RealStore(lmdb)
        try first.copy(to: xml, "XML")
        try RealStore(xml).copy(to: binary, "Binary")
        try moveThroughMemory(binary, to: sqlite, model)

        #expect(try first.dump() == wanted)
        #expect(try RealStore(xml).dump() == wanted)
        #expect(try RealStore(binary).dump() == wanted)
        #expect(try RealStore(sqlite).dump() == wanted)
        #expect(try versions(sqlite, model) == versions(source.url, model))
        // Problems of a real store are copied with it, except for missing files, and for the history, which the
        // copies lack.
        let isWhole = Corpus.wholeStorePaths.contains(path)
        let problems = (isWhole ? [] : try source.problems())
            .filter { !$0.contains("the file ") && !$0.hasPrefix("the history: ") }
        #expect(try RealStore(sqlite).problems() == problems)
        guard isWhole else { return }
        #expect(try CoreDataStoreCheck(sql: PlainSQL(sqlite), model: model).problems() == [])
    }

    @Test(arguments: Corpus.storePathsWithoutModel.filter { $0.hasPrefix("corpus/") })
    func `written before iOS 9 opens them with the model next to them`(_ path: String) throws {
        let folder = try TemporaryFolder()

        let store = try RealStore(path, in: folder)

        #expect(try store.model() != nil)
    }
}
