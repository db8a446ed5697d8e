import CairnStore
import Foundation
import Testing

@testable import CairnModel
@testable import CairnStack

/// `catch let error as NSError`, the form that most code listings for Core Data use.
@Suite struct `An error that is caught as NSError` {
    private let url = URL(fileURLWithPath: "/nowhere/music.sqlite")

    private func fail(_ error: GraphError) throws(GraphError) { throw error }
    private func fail(_ error: any Error) throws { throw error }

    /// Throws an error through an untyped `throws` and returns what the pattern catches.
    private func caught(_ error: any Error) throws -> NSError? {
        do {
            try fail(error)
        } catch let error as NSError {
            return error
        }
        return nil
    }

    @Test func `has its domain, code and user info if its type is known`() {
        let error = GraphError.unknownEntity("Sing", known: ["Song"])
        var caught: NSError?
        do {
            try fail(error)
        } catch let error as NSError {
            caught = error
        }

        #expect(caught?.domain == NSCocoaErrorDomain)
        #expect(caught?.code == error.code)
        #expect(caught?.userInfo["entity"] as? String == "Sing")
        #expect(caught?.localizedDescription == error.localizedDescription)
    }

    @Test func `has its domain, code and user info if its type is not known`() throws {
        let failure = ValidationFailure(
            code: 1570,
            object: ObjectID(
                store: StoreNumber(rawValue: 0x8000_0001), rootEntity: EntityNumber(1),
                entity: EntityNumber(1), key: -1),
            entity: "Song", property: "title", rule: "a value is required")
        let loading = StoreLoadingFailure(
            description: PersistentStoreDescription(type: "SQLite", url: url),
            reason: .store(.notFound(.file(url))))
        let errors: [any CustomNSError] = [
            GraphError.hooksNeverSettle(hook: "prepareForSave", entities: ["Song"]), failure,
            loading,
            StoreError.notFound(.file(url)),
            ModelError.notFound("Music", searched: [url]),
            FetchPredicateError.syntax(
                text: "x", position: 0, found: "x", expected: "an operator"),
        ]
        for error in errors {
            let caught = try #require(try caught(error))

            #expect(caught.domain == Swift.type(of: error).errorDomain)
            #expect(caught.code == error.errorCode)
            #expect(Set(caught.userInfo.keys) == Set(error.errorUserInfo.keys))
        }
    }

    @Test func `is also caught if its type does not declare NSError properties`() throws {
        let errors: [any Error] = [
            UnexpectedValue(expected: "Date"),
            TransformationFailure(
                entity: "Song", attribute: "cover", transformer: "Cover", direction: .reading,
                reason: .notRegistered),
            EngineFailure(
                type: "SQLite", location: .file(url), operation: "open", code: 1, message: "locked"),
        ]
        for error in errors {
            let caught = try #require(try caught(error))

            #expect(caught.domain == (error as NSError).domain)
        }
    }

    @Test func `still matches a pattern of its own type`() {
        let error: any Error = GraphError.noStore(entity: "Song", hasStores: true)

        #expect(error is GraphError)
        #expect((error as NSError) as? GraphError == nil)
    }
}
