import CairnModel
import CairnPostgreSQL
import CairnStore
import Foundation
import PostgreSQLStoreSupport
import Testing

@Suite(.enabled(if: PostgreSQLHarness.database != nil, "CAIRN_POSTGRESQL names no database"))
struct `Connections to a server` {
    private let database = PostgreSQLHarness.database ?? URL(fileURLWithPath: "/")

    private func withBooks(_ body: (BookStore) throws -> Void) throws {
        let books = try BookStore(database)
        defer { try? books.end() }
        try books.save(["first"])
        _ = try books.count()
        try body(books)
    }

    private func trips(_ books: BookStore, _ body: () throws -> Void) rethrows -> Int {
        let before = books.proxy.roundTripCount
        try body()
        return books.proxy.roundTripCount - before
    }

    @Test
    func `a save of 1,000 new objects takes 2 round trips, the first one 1 more for its keys`()
        throws
    {
        try withBooks { books in
            books.proxy.gatherRequests()
            let titles = (0..<1000).map { "\($0)" }
            try books.settle()
            var counts: [Int] = []
            for _ in 0..<4 {
                counts.append(try trips(books) { try books.save(titles, name: SaveID()) })
            }
            #expect(counts == [3, 2, 2, 2])
            #expect(try books.count() == 4001)
        }
    }

    @Test func `a fetch takes 2 round trips, and its objects' members with their rows 1 more`()
        throws
    {
        try withBooks { books in
            books.proxy.gatherRequests()
            try books.save((0..<1000).map { "\($0)" })
            let snapshot = try books.store.snapshot()
            snapshot.end()
            try books.settle()
            let before = books.proxy.roundTripCount
            let state = try books.store.snapshot()
            let cursor = try state.cursor(FetchPlan(entity: books.author))
            let authors = try cursor.next(atMost: 4096)?.ids ?? []
            #expect(authors.count == 2)
            let relationship = try #require(books.author.relationship(named: "books"))
            let answer = try state.related([
                RelatedQuestion(relationship, of: authors, includesRows: true)
            ])
            #expect(answer.rows.count == 1001)
            let count = books.proxy.roundTripCount - before
            state.end()
            #expect(count == 3)
        }
    }

    @Test func `each save happens once or not at all, and the program is told the truth`() throws {
        try withBooks { books in
            books.proxy.gatherRequests()
            // Prepare and commit.
            for trip in 0..<2 {
                for fault in [PostgresProxy.Fault.cutsRequest, .cutsAnswer] {
                    let before = try #require(try books.count())
                    let name = SaveID()
                    try books.settle()
                    books.proxy.fail(in: trip, fault)
                    do {
                        try books.save(["new"], name: name)
                        // The first use of an idle connection is repeated on another one.
                        #expect(trip == 0, "the connection was cut in round trip \(trip)")
                    } catch StoreError.commitOutcomeUnknown {
                        #expect(trip == 1, "only a commit is unknown")
                    }
                    let outcome = try books.store.outcome(of: name)
                    let isSaved = try books.count() == before + 1
                    #expect(outcome == (isSaved ? .saved : .notSaved), "\(trip) \(fault)")
                    #expect(
                        isSaved == (trip == 0 || fault == .cutsAnswer),
                        "\(trip) \(fault)")
                }
            }
        }
    }

    @Test func `a snapshot whose connection was cut throws, and the next one works`() throws {
        try withBooks { books in
            let snapshot = try books.store.snapshot()
            books.proxy.fail(in: 0, .cutsAnswer)
            #expect(throws: StoreError.self) { try snapshot.count(FetchPlan(entity: books.book)) }
            #expect(throws: StoreError.self) { try snapshot.count(FetchPlan(entity: books.book)) }
            #expect(try books.count() == 1)
        }
    }

    @Test func `500 snapshots, one after the other, use one connection`() throws {
        try withBooks { books in
            let id = try #require(try books.store.snapshot().row(for: books.firstBook)?.id)
            let before = books.proxy.connectionCount
            for _ in 0..<500 {
                let snapshot = try books.store.snapshot()
                #expect(try snapshot.row(for: id) != nil)
                snapshot.end()
            }
            #expect(books.proxy.connectionCount == before)
        }
    }

    @Test func `a server that stops answering does not outlast a deadline`() throws {
        try withBooks { books in
            for trip in 0..<2 {
                try books.settle()
                books.proxy.fail(in: trip, .stalls)
                let began = ContinuousClock.now
                let error = #expect(throws: StoreError.self) {
                    try StoreDeadline.with(.now + .milliseconds(300)) {
                        try books.store.snapshot().row(for: books.firstBook)
                    }
                }
                if case .deadlineExceeded? = error {
                } else {
                    Issue.record("\(String(describing: error))")
                }
                #expect(ContinuousClock.now - began < .seconds(3))
            }
            let count = try books.count()
            #expect(count == 1)
        }
    }

    @Test func `no error contains the password, whatever is wrong with the address`() throws {
        let model = try ManagedObjectModel([
            EntityDescription("Note", [.attribute("text", .string)])
        ])
        let secret = "open-sesame-5%C3%A9"
        for (port, query) in [(nil, nil), (1, nil), (nil, "sslmode=nonsense"), (nil, "no_such=1")]
            as [(Int?, String?)]
        {
            var parts = URLComponents(
                url: database.appending(path: "x"), resolvingAgainstBaseURL: false)
            parts?.percentEncodedPassword = secret
            parts?.query = query
            if let port { parts?.port = port }
            let service = try #require(parts?.url.flatMap(ServiceLocation.init))
            let error = #expect(throws: StoreError.self) {
                try PostgreSQLStore.open(OpenRequest(location: .service(service), model: model))
            }
            let text = "\(String(describing: error)) \(error.map { "\($0)" } ?? "")"
            #expect(!text.contains("sesame"), "\(text)")
        }
    }
}
