import CairnModel
import CairnStore
import Foundation
import Testing

@testable import CairnStack

/// Alerts show an error's `localizedDescription`, which must be the error's own message.
@Suite struct `The localized description` {
    private static let id = ObjectID(
        store: StoreNumber(rawValue: 0x8000_0001), rootEntity: EntityNumber(1),
        entity: EntityNumber(1),
        key: -1)

    private static let failure = ValidationFailure(
        code: 1570, object: id, entity: "Song", property: "title", rule: "a value is required")

    static let errors: [any Error & CustomStringConvertible & Sendable] = [
        ModelError.notFound("Music", searched: []),
        FetchPredicateError.unknownKey("titel", entity: "Song", nearest: "title"),
        StoreError.notFound(.file(URL(fileURLWithPath: "/nowhere/music.store"))),
        GraphError.objectGone(id, .deletedHere),
        GraphError.store(.notFound(.file(URL(fileURLWithPath: "/nowhere/music.store")))),
        GraphError.validation([failure]),
        failure,
    ]

    @Test(arguments: errors.indices)
    func `is the error's description`(_ index: Int) {
        let error = Self.errors[index]
        let shown: any Error = error

        #expect(shown.localizedDescription == error.description)
        #expect((error as NSError).localizedDescription == error.description)
    }

    @Test func `of a store that could not be loaded is the reason`() {
        let reason = GraphError.unknownStore("music")
        let failure = StoreLoadingFailure(
            description: PersistentStoreDescription(type: "SQLite"), reason: reason)

        #expect(failure.localizedDescription == reason.description)
    }
}
