import CairnModel
import CairnStore
import Foundation
import Testing

@testable import CairnStack

/// The contents of `userInfo`, under Core Data's keys.
@Suite struct `The user info of an error` {
    private let url = URL(fileURLWithPath: "/nowhere/music.sqlite")
    private let id = ObjectID(
        store: StoreNumber(rawValue: 0x8000_0001), rootEntity: EntityNumber(1),
        entity: EntityNumber(1), key: -1)

    private func failure(_ property: String) -> ValidationFailure {
        ValidationFailure(
            code: 1570, object: id, entity: "Song", property: property, rule: "a value is required")
    }

    private func info(of error: any Error) -> [String: Any] { (error as NSError).userInfo }

    @Test func `names the object, the property and the rule of one broken rule`() {
        let info = info(of: GraphError.validation([failure("title")]))

        #expect(info["NSValidationErrorObject"] as? ObjectID == id)
        #expect(info["NSValidationErrorKey"] as? String == "title")
        #expect(info["NSValidationErrorPredicate"] as? String == "a value is required")
        #expect(info["NSAffectedObjectsErrorKey"] as? [ObjectID] == [id])
        #expect(info["entity"] as? String == "Song")
        #expect(info["NSDetailedErrors"] == nil)
    }

    @Test func `has an error for each of several broken rules`() {
        let info = info(of: GraphError.validation([failure("title"), failure("length")]))

        let details = info["NSDetailedErrors"] as? [NSError]

        #expect(details?.map(\.code) == [1570, 1570])
        #expect(
            details?.compactMap { $0.userInfo["NSValidationErrorKey"] as? String }
                == ["title", "length"])
    }

    @Test func `names a store of another model, and the model that it records`() {
        let stored = VersionHash(repeatElement(7, count: 32))
        let difference = ModelDifference(entity: "Song", stored: stored, model: nil)

        let info = info(
            of: GraphError.store(.modelMismatch(.file(url), differences: [difference])))
        let metadata = info["metadata"] as? [String: Any]

        #expect(info["NSAffectedStoresErrorKey"] as? [URL] == [url])
        #expect(info[NSFilePathErrorKey] as? String == url.path)
        #expect(
            metadata?["NSStoreModelVersionHashes"] as? [String: Data] == ["Song": stored.data])
        #expect((info["reason"] as? String)?.contains("incompatible") == true)
    }

    @Test func `has the code of the system and of SQLite`() {
        let file = FileFailure(operation: "open", path: url.path, code: EACCES)
        let engine = EngineFailure(
            type: "SQLite", location: .file(url), operation: "open", code: 14, message: "unable")

        let ofFile = info(of: StoreError.fileFailure(file))
        let ofEngine = info(of: GraphError.store(.engineFailure(engine)))

        #expect((ofFile[NSUnderlyingErrorKey] as? NSError)?.code == Int(EACCES))
        #expect((ofFile[NSUnderlyingErrorKey] as? NSError)?.domain == NSPOSIXErrorDomain)
        #expect(ofFile[NSFilePathErrorKey] as? String == url.path)
        #expect(ofEngine["NSSQLiteErrorDomain"] as? Int == 14)
        #expect(ofEngine["reason"] as? String == "unable")
    }

    @Test func `has an error for each store that could not be loaded`() {
        let failures = [StoreError.closed(.file(url)), .busy(.file(url), waited: .seconds(1))].map {
            StoreLoadingFailure(
                description: PersistentStoreDescription(url: url), reason: .store($0))
        }

        let details = info(of: GraphError.loading(failures))["NSDetailedErrors"] as? [NSError]

        #expect(details?.map(\.code) == [134_070, 134_090])
        #expect((failures[1] as NSError).code == 134_090)
    }

    @Test func `names a store in memory, and no password of a service`() throws {
        let address = try #require(URL(string: "socket://me:secret@host/music?key=secret"))
        let service = try #require(ServiceLocation(address))

        let inMemory = info(of: StoreError.closed(.memory("music")))
        let ofService = info(of: StoreError.closed(.service(service)))

        #expect(inMemory["NSAffectedStoresErrorKey"] as? [String] == ["music"])
        #expect(!"\(ofService)".contains("secret"))
    }

    @Test func `names the affected objects of conflicts`() {
        let conflict = MergeConflict(
            objectID: id, entityName: "Song", oldVersion: 1, newVersion: 2, objectSnapshot: nil,
            cachedSnapshot: nil, persistedSnapshot: nil, stored: nil)

        let info = info(of: GraphError.mergeConflicts([conflict]))

        #expect(info["NSAffectedObjectsErrorKey"] as? [ObjectID] == [id])
        #expect((info["conflictList"] as? [Any])?.count == 1)
    }
}
