import Cairn
import CairnStore
import Foundation
import GraphSupport
import Testing

/// A fetch of all rows of one store, half of which a second thread reads.
///
/// Runs on the engines that divide fetches. The other engines have all rows in memory and read them faster
/// than a second thread could help.
@Suite struct `A divided fetch` {
    private static let count = 2000

    /// Returns a stack that divides every fetch it can. Its single store contains parts, every third of which
    /// was deleted.
    private static func stack(_ type: StoreType) throws -> PartsStack {
        let stack = try PartsStack([type])
        stack.coordinator.parallelReading.division.rowsEach = 100
        stack.coordinator.parallelReading.division.ignoresLoad = true
        try stack.inContext { context in
            let parts = try (0..<count).map { number in
                try context.insert(
                    "Part", ["number": number, "weight": 1, "code": "part \(number)"])
            }
            try context.save()
            for index in stride(from: 0, to: count, by: 3) { try context.delete(parts[index]) }
            try context.save()
        }
        return stack
    }

    private static func numbers(_ context: ManagedObjectContext) throws -> [Int64] {
        let parts: [ManagedObject] = try context.fetch(FetchRequest<ManagedObject>("Part"))
        return try parts.map { part in
            guard case .integer(let number) = try part["number"] else { return -1 }
            return number
        }
    }

    private static let kept = (0..<Int64(count)).filter { $0 % 3 != 0 }

    @Test(arguments: everyRowWritingEngine)
    func `finds what one thread finds`(_ type: StoreType) throws {
        let stack = try Self.stack(type)
        let part = try #require(stack.coordinator.managedObjectModel.entity(named: "Part"))
        let parts = try stack.stores[0].snapshot().parts(
            of: FetchPlan(entity: part), atMost: 2, rowsEach: 100)
        #expect(parts.count == 2)

        for _ in 0..<20 {
            let (numbers, ids) = try stack.inContext { context in
                (
                    try Self.numbers(context),
                    try context.fetchIDs(FetchRequest<ManagedObject>("Part"))
                )
            }
            #expect(numbers.sorted() == Self.kept)
            #expect(ids.count == Self.kept.count && Set(ids).count == ids.count)
        }
        // Only a second reader can have started a thread.
        #expect(stack.coordinator.executor.load.threads > 0)
        let one = try stack.inContext { context in
            stack.coordinator.parallelReading.division.rowsEach = .max
            return try context.fetchIDs(FetchRequest<ManagedObject>("Part"))
        }
        let two = try stack.inContext { context in
            stack.coordinator.parallelReading.division.rowsEach = 100
            return try context.fetchIDs(FetchRequest<ManagedObject>("Part"))
        }
        #expect(one == two)
    }

    /// A second reader can only read the newest state.
    @Test(arguments: everyRowWritingEngine)
    func `in a pinned state finds nothing of a later save`(_ type: StoreType) throws {
        let stack = try Self.stack(type)
        try stack.inContext { context in
            try context.setQueryGeneration(from: .current)
            #expect(try Self.numbers(context).sorted() == Self.kept)
            try stack.inContext { other in
                _ = try other.insert("Part", ["number": -7, "weight": 1])
                try other.save()
            }
            #expect(try Self.numbers(context).sorted() == Self.kept)
            #expect(try stack.inContext(Self.numbers).count == Self.kept.count + 1)
        }
    }

    @Test(arguments: everyRowWritingEngine)
    func `sees only complete saves of others`(_ type: StoreType) async throws {
        let stack = try Self.stack(type)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for round in 0..<30 {
                    // Two parts, one in each half of the division. A fetch must see both changes or neither.
                    try stack.inContext { context in
                        var request = FetchRequest<ManagedObject>("Part")
                        request.predicate = try FetchPredicate(
                            format: "code IN {'part 1', 'part 1999'}")
                        for part in try context.fetch(request) {
                            try part.setValue(10_000 + round, forKey: "number")
                        }
                        try context.save()
                    }
                }
            }
            group.addTask {
                for _ in 0..<60 {
                    let numbers = try stack.inContext(Self.numbers).filter {
                        $0 >= 10_000 || $0 == 1 || $0 == 1999
                    }
                    #expect(numbers.count == 2)
                    #expect(Set(numbers).count == 1 || numbers == [1, 1999], "\(numbers)")
                }
            }
            try await group.waitForAll()
        }
    }

    @Test(arguments: everyRowWritingEngine)
    func `ends with its deadline and its task`(_ type: StoreType) async throws {
        let stack = try Self.stack(type)
        let handle = ContextHandle(coordinator: stack.coordinator)
        let outcome = await Task {
            await Task.yield()
            withUnsafeCurrentTask { $0?.cancel() }
            return await Result {
                try await handle.perform { context in
                    _ = try context.fetch(FetchRequest<ManagedObject>("Part")).count
                }
            }
        }.value
        #expect(throws: (any Error).self) { try outcome.get() }
        // The failed fetch leaves no trace: the store can be read and saved to.
        try stack.inContext { context in
            #expect(try Self.numbers(context).count == Self.kept.count)
            _ = try context.insert("Part", ["number": 1, "weight": 1])
            try context.save()
        }
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
