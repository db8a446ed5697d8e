import CairnTesting
import Foundation
import GraphSupport
import InMemoryLogging
import Logging
import MetricsTestKit
import Testing

@testable import CairnObjects
@testable import CairnQueries
@testable import CairnStack

@Suite struct `A coordinator reports` {
    /// A container with a store of 3 books of one author, whose coordinator reports to a log and to metrics
    /// that can be read.
    private struct Library {
        let container: PersistentContainer
        let log = InMemoryLogHandler()
        let metrics = TestMetrics()

        init(
            level: Logger.Level = .trace, slow: Duration? = nil, faults: StoreFaults? = nil
        ) async throws {
            container = try await PersistentContainer.inMemory(
                ManagedObjectModel(GraphSupport.Library.entities),
                classes: ObjectClasses([Author.self, Book.self, Novel.self, Chapter.self]),
                faults: faults)
            try await container.perform { context in
                let author = try Author(context: context)
                author.name = "Eliot"
                for number in 0..<3 {
                    let book = try Book(context: context)
                    (book.title, book.pages, book.author) = ("book \(number)", number, author)
                }
                try context.save()
            }
            let log = log
            var logger = Logger(label: "test") { _ in log }
            logger.logLevel = level
            container.persistentStoreCoordinator.monitoring = Monitoring(
                logger: logger, slowOperationThreshold: slow, metricsFactory: metrics)
        }

        func count(_ operation: MonitoredOperation) throws -> Int {
            try metrics.expectTimer(
                "cairn.operation.duration", [("operation", operation.rawValue)]
            ).values.count
        }

        func forgetCachedRows() {
            for attached in container.persistentStoreCoordinator.attachedStores {
                attached.rowCache.removeAll()
            }
        }

        /// Fetches, counts, adds up, and reads a fault and its relationships, each once.
        func read() async throws {
            try await container.perform { context in
                let ids = try context.fetchIDs(FetchRequest<Author>("Author"))
                let author = try #require(try context.object(with: ids[0]) as? Author)
                _ = try context.count(for: FetchRequest<Book>("Book", where: "pages > 0"))
                _ = try context.sum(of: \Book.pages)
                try context.refreshAllObjects()
                _ = author.name
                _ = author.books.count
            }
        }
    }

    @Test func `how long each operation took`() async throws {
        let library = try await Library()
        library.forgetCachedRows()

        try await library.read()

        let counts = try [
            MonitoredOperation.fetch, .count, .dictionaries, .fault, .relationship, .save, .open,
        ].map(library.count)
        #expect(counts == [1, 1, 1, 1, 1, 0, 0])
        let rows = try library.metrics.expectCounter("cairn.rows.read")
        // The fetch for IDs reads no row.
        #expect(rows.totalValue == 1)
    }

    @Test func `each operation to its own timer`() {
        let indices = MonitoredOperation.allCases.map(\.index)

        #expect(indices == Array(indices.indices))
    }

    @Test func `how many objects were saved, and how many stores are open`() async throws {
        let library = try await Library()
        let coordinator = library.container.persistentStoreCoordinator

        try await library.container.perform { context in
            let books = try context.fetch(
                FetchRequest<Book>("Book", where: "pages < 3")
            ).sorted { $0.pages < $1.pages }
            books[0].title = "changed"
            try context.delete(books[1])
            for _ in 0..<4 { _ = try Chapter(context: context) }
            try context.save()
        }
        let store = try await coordinator.addPersistentStore(ofType: "InMemory")
        try coordinator.remove(store)

        let changes = try ["inserted", "updated", "deleted"].map {
            try library.metrics.expectCounter("cairn.objects.saved", [("change", $0)]).totalValue
        }
        // Deleting a book also changes its author.
        #expect(changes[0] == 4 && changes[1] >= 1 && changes[2] == 1)
        // The first store was open before the backend was set.
        #expect(try library.metrics.expectMeter("cairn.stores.open").values == [1, 2, 1])
        #expect(try library.count(.save) == 1 && library.count(.open) == 1)
        let messages = library.log.entries.map { "\($0.level) \($0.message)" }
        #expect(messages.contains("debug Saved changes."))
        #expect(messages.suffix(2) == ["debug Opened a store.", "debug Closed a store."])
    }

    @Test func `slow operations, with what they did`() async throws {
        let library = try await Library(level: .info, slow: .zero)
        library.forgetCachedRows()

        try await library.read()

        let warnings = library.log.entries
        #expect(warnings.allSatisfy { $0.level == .warning })
        let subjects = warnings.map { "\($0.message)".prefix { $0 != "." && !$0.isNumber } }
        #expect(
            subjects == [
                "A fetch took ", "Counting objects took ", "A fetch of dictionaries took ",
                "Reading the rows of faults took ", "Reading relationships took ",
            ])
        #expect(warnings[0].metadata["entity"] == "Author")
        #expect(warnings[0].metadata["objects"] == "1")
        #expect(warnings[1].metadata["condition"] == "pages")
        #expect(warnings[3].metadata["entity"] == "Author")
        #expect(warnings[4].metadata["relationships"] == "Author.books")
        let slow = try library.metrics.expectCounter(
            "cairn.operation.slow", [("operation", "count")])
        #expect(slow.totalValue == 1)
    }

    @Test func `one slow operation of each kind a minute, and counts the others`() async throws {
        let library = try await Library(level: .info, slow: .zero)

        try await library.container.perform { context in
            for _ in 0..<100 {
                _ = try context.count(for: FetchRequest<Book>("Book"))
                _ = try context.fetchIDs(FetchRequest<Author>("Author"))
            }
        }

        let warnings = library.log.entries
        #expect(warnings.map { "\($0.message)".prefix(8) } == ["Counting", "A fetch "])
        let slow = try library.metrics.expectCounter(
            "cairn.operation.slow", [("operation", "count")])
        #expect(slow.totalValue == 100)
    }

    @Test func `how many warnings were left out, after a minute`() {
        let second: UInt64 = 1_000_000_000
        var limit = WarningLimit()

        let admitted = [0, 1, 59, 60, 61, 200].map { limit.admit(at: $0 * second) }

        #expect(admitted == [0, nil, nil, 2, nil, 1])
    }

    @Test func `only what is slower than the threshold`() async throws {
        let faults = StoreFaults()
        let library = try await Library(level: .info, slow: .milliseconds(50), faults: faults)

        try await library.read()
        #expect(library.log.entries.isEmpty)
        let held = faults.hold(.count)
        let container = library.container
        async let count = container.perform { try $0.count(Book.self) }
        try await held.reached()
        try await Task.sleep(for: .milliseconds(60))
        held.release()

        #expect(try await count == 3)
        #expect(library.log.entries.map(\.level) == [.warning])
    }

    @Test func `failures with their code`() async throws {
        let faults = StoreFaults()
        let library = try await Library(level: .debug, faults: faults)
        faults.fail(.commit, calls: 1...)

        await #expect(throws: GraphError.self) {
            try await library.container.perform { context in
                _ = try Author(context: context)
                try context.save()
            }
        }

        let failures = library.metrics.counters(label: "cairn.operation.failures")
        #expect(failures.count == 1 && failures.first?.totalValue == 1)
        #expect(failures.first?.dimensions.first?.1 == "save")
        #expect(failures.first?.dimensions.last?.1.isEmpty == false)
        let entry = try #require(library.log.entries.last)
        #expect(entry.level == .debug && entry.message == "A save failed.")
        #expect(entry.metadata["error"] != nil && entry.metadata["inserted"] == "1")
    }

    @Test func `names of properties, but no values`() async throws {
        let library = try await Library()

        try await library.container.perform { context in
            _ = try context.fetch(
                Book.self,
                where: #Predicate { $0.title == "secret" || $0.author?.name == "secret" },
                sortedBy: [SortDescriptor(\.pages)], limit: 7, offset: 2)
            let author = try Author(context: context)
            author.name = "secret"
            try context.save()
        }

        let entries = library.log.entries
        #expect(!entries.map { "\($0)" }.joined().contains("secret"))
        let fetch = try #require(entries.first { $0.message == "Fetched objects." })
        #expect(fetch.metadata["condition"] == "author.name, title")
        #expect(fetch.metadata["sort"] == "pages")
        #expect(fetch.metadata["limit"] == "7" && fetch.metadata["offset"] == "2")
    }

    @Test func `nothing by default while all is well`() async throws {
        let library = try await Library(level: .info, slow: .seconds(1))

        try await library.read()

        #expect(library.log.entries.isEmpty)
        #expect(Monitoring().slowOperationThreshold == .seconds(1))
    }

    @Test func `reads of a context that is pinned to a state`() async throws {
        let library = try await Library()

        try await library.container.perform { context in
            try context.setQueryGeneration(from: .current)
            let authors = try context.fetch(Author.self)
            _ = authors.first?.books.count
        }

        let counts = try [MonitoredOperation.fetch, .relationship].map(library.count)
        #expect(counts == [1, 1])
    }

    @Test func `a value that could not be read`() async throws {
        let faults = StoreFaults()
        let library = try await Library(level: .info, faults: faults)
        library.forgetCachedRows()
        faults.fail(.row, calls: 1...)
        faults.fail(.rows, calls: 1...)

        let name = try await library.container.perform { context in
            let ids = try context.fetchIDs(FetchRequest<Author>("Author"))
            return (try context.object(with: ids[0]) as? Author)?.name
        }

        #expect(name == "")
        let entry = try #require(library.log.entries.first)
        #expect(entry.level == .error && entry.metadata["entity"] == "Author")
    }
}
