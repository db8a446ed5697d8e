import Cairn
import CairnTestSupport
import CoreDataCheckSupport
import Foundation
import Testing

/// Stores written by earlier versions of Cairn and by Core Data can still be opened, read with the same
/// content, and written to.
@Suite struct `Kept stores` {
    private static let all = KeptStore.ours + KeptStore.coreData

    @Test(arguments: all)
    func `dump as they were recorded`(_ kept: KeptStore) throws {
        let folder = try TemporaryFolder()
        let store = try kept.copy(into: folder)

        let dump = try store.shortDump()

        #expect(try dump == kept.expectedDump())
        #expect(!dump.isEmpty)
    }

    @Test(arguments: all)
    func `are intact`(_ kept: KeptStore) throws {
        let folder = try TemporaryFolder()
        let store = try kept.copy(into: folder)

        let problems = try store.problems()

        #expect(problems == [])
    }

    @Test(arguments: KeptStore.ours)
    func `have the recorded metadata`(_ kept: KeptStore) throws {
        let folder = try TemporaryFolder()
        let store = try kept.copy(into: folder)
        let model = try #require(try store.model())
        let source = try ManagedObjectModel(
            contentsOf: store.url.deletingLastPathComponent().appending(path: "Kept.xcdatamodeld"))

        let metadata = try PersistentStoreCoordinator.metadataForPersistentStore(
            ofType: kept.type, at: store.url)

        #expect(metadata.values["purpose"] == "kept")
        #expect(metadata.values["count"] == 3)
        #expect(metadata.entityVersionHashes == source.entityVersionHashes)
        #expect(model.entityVersionHashes == source.entityVersionHashes)
        let coordinator = PersistentStoreCoordinator(managedObjectModel: source)
        try coordinator.addPersistentStore(ofType: kept.type, at: store.url)
    }

    @Test(arguments: all)
    func `keep what a save does not change`(_ kept: KeptStore) throws {
        let folder = try TemporaryFolder()
        let store = try kept.copy(into: folder)
        let model = try #require(try store.model())
        let before = try store.shortDump()

        let log = try store.edit { edit in
            try edit.insertOneOfEach()
            try edit.updateOneOfEach()
        }

        let after = try store.shortDump()
        let updated = try log.updated.map { update in
            let entity = try #require(model.entity(numbered: update.id.entity))
            return "{\"entity\":\"\(entity.name)\",\"key\":\(update.id.key),"
        }
        let changed = before.filter { !after.contains($0) }
        #expect(changed.count == updated.count && !updated.isEmpty)
        #expect(changed.allSatisfy { line in updated.contains { line.hasPrefix($0) } })
        #expect(after.count >= before.count + log.inserted.count)
    }

    @Test(arguments: all)
    func `are intact after saves of every kind`(_ kept: KeptStore) throws {
        let folder = try TemporaryFolder()
        let store = try kept.copy(into: folder)
        let model = try #require(try store.model())

        let log = try store.edit { edit in
            try edit.insertOneOfEach()
            try edit.updateOneOfEach()
            try edit.relateInserted()
            try edit.deleteInserted()
        }

        #expect(log.inserted.count == model.entities.count { !$0.isAbstract })
        #expect(!log.deleted.isEmpty)
        #expect(try store.problems() == [])
        if kept.type == .sqlite {
            let check = CoreDataStoreCheck(sql: try PlainSQL(store.url), model: model)
            #expect(try check.problems() == [])
        }
    }
}
