import CairnModel
import CairnStore
import Foundation
import Testing

@Suite struct `Address of a service` {
    private static let url = URL(
        string: "Postgres://reader:p%40ss-word@DB.example:5433/library?token=hush#part")

    private func location() throws -> ServiceLocation {
        try #require(Self.url.flatMap(ServiceLocation.init))
    }

    /// Returns the value as text, in every way that Swift offers.
    private func texts(of value: Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        return [
            "\(value)", String(reflecting: value), dumped,
            "\(Mirror(reflecting: value).children.map { $0 })",
        ]
    }

    @Test func `gives the engine the unchanged URL`() throws {
        let location = try location()

        #expect(location.urlWithPassword == Self.url)
        #expect(location.urlWithPassword.password != nil)
    }

    @Test func `shows neither password nor query`() throws {
        let service = try location()
        let location = StoreLocation.service(service)
        let request = OpenRequest(location: location, model: try ManagedObjectModel([]))
        let failure = EngineFailure(
            type: "Postgres", location: location, operation: "connect", code: 1, message: "no")
        let errors: [StoreError] = [
            .busy(location, waited: .seconds(1)), .engineFailure(failure), .notFound(location),
            .unsupported(location, feature: "a", advice: "b"),
        ]

        let shown =
            [service as Any, location, request, failure, errors].flatMap(texts)
            + errors.map(\.localizedDescription)

        #expect(service.description == "postgres://reader@db.example:5433/library")
        for text in shown {
            for secret in ["p@ss-word", "p%40ss-word", "ss-word", "hush"] {
                #expect(!text.contains(secret), "\(secret) is in \(text)")
            }
        }
    }

    @Test(arguments: [
        ("s://u:a@h/p", "s://u:b@h/p", true), ("s://u@h/p", "s://u:b@h/p", true),
        ("s://h/p?a=1", "s://h/p?a=2", true), ("S://H/p", "s://h/p", true),
        ("s://h/p", "s://h/q", false), ("s://h:1/p", "s://h:2/p", false),
        ("s://u@h/p", "s://v@h/p", false), ("s://h/p", "t://h/p", false),
    ])
    func `identifies the same store whatever the password`(
        _ left: String, _ right: String, _ isSame: Bool
    ) throws {
        let first = try #require(URL(string: left).flatMap(ServiceLocation.init))
        let second = try #require(URL(string: right).flatMap(ServiceLocation.init))

        #expect((first == second) == isSame)
        #expect((StoreLocation.service(first) == .service(second)) == isSame)
        if isSame { #expect(first.hashValue == second.hashValue) }
    }

    @Test(arguments: ["file:///a/store", "library", "/library", "s:u:secret@h", "s:"])
    func `is not a file URL, and has a scheme and a path`(_ text: String) throws {
        let url = try #require(URL(string: text))

        #expect(ServiceLocation(url) == nil)
    }

    @Test func `may be a socket's path`() throws {
        let url = try #require(URL(string: "pipe:/run/store.socket"))

        #expect(ServiceLocation(url)?.description == "pipe:/run/store.socket")
    }
}
