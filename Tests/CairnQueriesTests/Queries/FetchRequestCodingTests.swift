import CairnModel
import CairnObjects
import CairnQueries
import CairnStack
import Foundation
import GraphSupport
import StackSupport
import Testing

@Suite struct `A coded fetch request` {
    private static func request() throws -> FetchRequest<ManagedObject> {
        var request = FetchRequest<ManagedObject>("Book")
        request.predicate = try FetchPredicate(
            format: "title BEGINSWITH[cd] %@ AND weight < %f AND author.born > %@", "the", 0.5,
            Date(timeIntervalSinceReferenceDate: 1.25))
        request.sortDescriptors = [
            FetchSortDescriptor("title", ascending: false, textOrder: .standard)
        ]
        (request.fetchLimit, request.fetchOffset, request.fetchBatchSize) = (7, 2, 3)
        (request.includesSubentities, request.includesPendingChanges) = (false, false)
        (request.returnsObjectsAsFaults, request.shouldRefreshRefetchedObjects) = (true, true)
        request.relationshipKeyPathsForPrefetching = ["author.books"]
        request.timeout = .milliseconds(2_500)
        request.resultType = .dictionaries
        request.propertiesToFetch = [
            "author.name", .expression(try ExpressionDescription("total", format: "sum(pages)")),
            .expression(
                try ExpressionDescription("mean", format: "average(weight) * 2", resultType: .float)
            ),
        ]
        request.propertiesToGroupBy = ["author.name"]
        request.havingPredicate = try FetchPredicate(format: "$total > 3")
        request.returnsDistinctResults = true
        return request
    }

    private func coded(
        _ request: FetchRequest<ManagedObject>
    ) throws -> FetchRequest<ManagedObject> {
        try JSONDecoder().decode(
            FetchRequest<ManagedObject>.self, from: try JSONEncoder().encode(request))
    }

    /// The stored properties of a request as text.
    private func parts(_ request: FetchRequest<ManagedObject>) -> [String: String] {
        Mirror(reflecting: request).children.reduce(into: [:]) {
            $0[$1.label ?? ""] = "\($1.value)"
        }
    }

    @Test func `has every part that the request has`() throws {
        let request = try Self.request()
        let plain = parts(FetchRequest<ManagedObject>())

        let read = try coded(request)

        #expect(parts(read) == parts(request))
        // Each part of the request differs from that of a new one, except for those that are not coded.
        let same = parts(request).filter { plain[$0.key] == $0.value }.keys.sorted()
        #expect(same == ["affectedStores", "isCancellable"])
        #expect(parts(try coded(FetchRequest())) == plain)
    }

    @Test func `may leave out parts`() throws {
        let text =
            #"{"entityName": "Book", "predicate": "pages > 3", "propertiesToFetch": ["title"]}"#

        let read = try JSONDecoder().decode(
            FetchRequest<ManagedObject>.self, from: Data(text.utf8))

        #expect(read.predicate == (try FetchPredicate(format: "pages > 3")))
        #expect(read.includesSubentities && read.propertiesToFetch == ["title"])
    }

    @Test(arguments: [
        #"{"predicate": "pages >"}"#, #"{"predicate": 3}"#, #"{"fetchLimit": "x"}"#,
        #"{"propertiesToFetch": [{"name": "x", "expression": "sum("}]}"#, "[]",
        #"{"sortDescriptors": [{"keyPath": "a", "isAscending": true, "textOrder": "loud"}]}"#,
    ])
    func `with a wrong part is refused`(_ text: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(FetchRequest<ManagedObject>.self, from: Data(text.utf8))
        }
    }

    @Test func `names no stores`() throws {
        let stack = try MusicStack(Library.entities)
        var request = FetchRequest<ManagedObject>("Book")
        request.affectedStores = stack.coordinator.persistentStores

        #expect(throws: EncodingError.self) { try JSONEncoder().encode(request) }
    }
}
