import Cairn
import Foundation
import GraphSupport
import Testing

/// A fetch ends when its task is cancelled. Everything else continues.
@Suite struct `Fetches of a cancelled task` {
    enum Kind: CaseIterable { case objects, ids, count, dictionaries }

    /// The outcome of a fetch.
    private enum Outcome: Equatable { case answer, cancelled, other(String) }

    private static func run(
        _ request: FetchRequest<ManagedObject>, _ kind: Kind, in context: ManagedObjectContext
    ) -> Outcome {
        do {
            switch kind {
            case .objects: _ = try context.fetch(request).count
            case .ids: _ = try context.fetchIDs(request)
            case .count: _ = try context.count(for: request)
            case .dictionaries: _ = try context.fetchDictionaries(request)
            }
            return .answer
        } catch GraphError.fetchCancelled {
            return .cancelled
        } catch {
            return .other("\(error)")
        }
    }

    private static func cancelRunningTask() { withUnsafeCurrentTask { $0?.cancel() } }

    /// Returns a stack with `count` genres.
    private static func filledStack(_ type: StoreType, count: Int = 300) throws -> GraphStack {
        let stack = try GraphStack(type)
        try stack.inContext { context in
            for _ in 0..<count { _ = try context.insert("Genre", ["name": "aaaaaaaaaaaa"]) }
            try context.save()
        }
        return stack
    }

    @Test(arguments: everyEngine, Kind.allCases)
    func `end while a store is searched`(_ type: StoreType, _ kind: Kind) async throws {
        let stack = try Self.filledStack(type)
        let handle = ContextHandle(coordinator: stack.coordinator)
        let pattern = "(a|a)*b"
        let ofOneValue = try StepCounter.steps {
            _ = try TextExpression(pattern).matches("aaaaaaaaaaaa")
        }
        // Binding the predicate takes a few steps as well.
        let counter = StepCounter { if $0 >= 10_000 { Self.cancelRunningTask() } }

        let outcome = try await Task {
            try await StepCounter.$current.withValue(counter) {
                try await handle.perform { context in
                    let request = try FetchRequest<ManagedObject>(
                        "Genre", where: "name MATCHES %@", pattern)
                    return Self.run(request, kind, in: context)
                }
            }
        }.value

        #expect(outcome == .cancelled)
        #expect(ofOneValue >= 10_000)
        #expect(counter.count >= 10_000)
        #expect(counter.count < ofOneValue + 100, "the fetch looked at further values")
        try stack.inContext { context in
            _ = try context.insert("Genre", ["name": "b"])
            try context.save()
            let request = try FetchRequest<ManagedObject>("Genre", where: "name MATCHES 'b'")
            #expect(try context.fetch(request).count == 1)
        }
    }

    /// SQLite completes many fetches in a single step.
    @Test(arguments: Kind.allCases)
    func `end within a step of SQLite`(_ kind: Kind) async throws {
        let stack = try Self.filledStack(.sqlite, count: 3_000)
        let handle = ContextHandle(coordinator: stack.coordinator)
        let counter = StepCounter { if $0 >= 10_000 { Self.cancelRunningTask() } }

        let outcome = try await handle.perform { context in
            let request = try FetchRequest<ManagedObject>(
                "Genre", where: "name CONTAINS 'z' OR name CONTAINS 'y'")
            return StepCounter.$current.withValue(counter) {
                Self.run(request, kind, in: context)
            }
        }

        #expect(outcome == .cancelled)
        #expect(counter.count >= 10_000)
        #expect(counter.count < 10_100, "one look at the task")
    }

    @Test(arguments: everyEngine)
    func `end before they begin, and saves do not`(_ type: StoreType) async throws {
        let stack = try Self.filledStack(type, count: 3)
        let handle = ContextHandle(coordinator: stack.coordinator)

        let outcomes = try await Task {
            try await handle.perform { context in
                let genres = try context.fetch(FetchRequest<ManagedObject>("Genre"))
                Self.cancelRunningTask()
                let request = FetchRequest<ManagedObject>("Genre")
                let outcomes = Kind.allCases.map { Self.run(request, $0, in: context) }
                // Faults still fire, and changes can still be saved.
                try genres[0].setValue("changed", forKey: "name")
                _ = try genres[1].names("books", "title")
                _ = try context.insert("Genre", ["name": "new"])
                try context.save()
                return outcomes
            }
        }.value

        #expect(outcomes == Kind.allCases.map { _ in .cancelled })
        try stack.inContext { context in
            let request = try FetchRequest<ManagedObject>(
                "Genre", where: "name IN {'changed', 'new'}")
            #expect(try context.count(for: request) == 2)
        }
    }

    @Test(arguments: everyEngine)
    func `that follow a change continue`(_ type: StoreType) async throws {
        let stack = try Self.filledStack(type, count: 3)
        let handle = ContextHandle(coordinator: stack.coordinator)

        let counts = try await Task {
            try await handle.perform { context in
                var request = FetchRequest<ManagedObject>("Genre")
                request.sortDescriptors = [FetchSortDescriptor("name")]
                // A page of results is fetched again after each change.
                request.fetchLimit = 10
                let controller = FetchedResultsController(
                    fetchRequest: request, managedObjectContext: context)
                try controller.performFetch()
                Self.cancelRunningTask()
                let before = controller.fetchedObjects?.count
                _ = try context.insert("Genre", ["name": "new"])
                context.processPendingChanges()
                return [before, controller.fetchedObjects?.count]
            }
        }.value

        #expect(counts == [3, 4])
    }
}
