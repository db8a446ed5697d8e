import Cairn
import Foundation
import GraphSupport
import Synchronization
import Testing

/// A fetch that leaves the main actor free, with a progress.
@Suite @MainActor struct `A background fetch` {
    /// Records its counts, and calls a closure at the first one.
    private final class Recorder: Progress, @unchecked Sendable {
        // The mutex protects `counts`, and `action` does not change.
        let counts = Mutex<[Int64]>([])
        private let action: @Sendable (Progress) -> Void

        init(total: Int64 = 0, _ action: @escaping @Sendable (Progress) -> Void = { _ in }) {
            self.action = action
            super.init(parent: nil, userInfo: nil)
            totalUnitCount = total
        }

        override var completedUnitCount: Int64 {
            didSet {
                let isFirst = counts.withLock {
                    $0.append(completedUnitCount)
                    return $0.count == 1
                }
                if isFirst { action(self) }
            }
        }
    }

    private static let count = 5_000

    private static func stack(
        _ type: StoreType, count: Int
    ) throws -> (ItemStack, ManagedObjectContext) {
        let stack = try ItemStack(type)
        try stack.inContext { context in
            for number in 0..<count {
                let item = try context.insertNewObject(forEntityName: "Item")
                try item.setValue("item \(number)", forKey: "name")
            }
            try context.save()
        }
        return (stack, ManagedObjectContext(coordinator: stack.coordinator))
    }

    private static func isCancelled(
        _ fetch: @MainActor () async throws -> FetchResults<ManagedObject>
    ) async -> Bool {
        do {
            _ = try await fetch()
            return false
        } catch GraphError.fetchCancelled {
            return true
        } catch {
            Issue.record(error)
            return false
        }
    }

    private static var request: FetchRequest<ManagedObject> {
        get throws { try FetchRequest<ManagedObject>("Item", where: "name BEGINSWITH 'item'") }
    }

    @Test(arguments: everyEngine, [0, 100, 5_000, 10_000] as [Int64])
    func `counts the objects as they are found, and completes its progress`(
        _ type: StoreType, _ estimate: Int64
    ) async throws {
        let (stack, context) = try Self.stack(type, count: Self.count)
        defer { withExtendedLifetime(stack) {} }
        let totals = Mutex<[Int64]>([])
        let progress = Recorder(total: estimate) { progress in
            totals.withLock { $0.append(progress.totalUnitCount) }
        }

        let found = try await context.fetchInBackground(try Self.request, reporting: progress)

        let counts = progress.counts.withLock { $0 }
        #expect(found.count == Self.count)
        #expect(counts.count >= 3 && counts == counts.sorted(), "\(counts)")
        #expect(counts.first.map { $0 > 0 && $0 < Self.count } == true, "\(counts)")
        #expect(totals.withLock { $0 } == [estimate > 4_096 ? estimate : -1])
        #expect(progress.totalUnitCount == Int64(Self.count) && progress.isFinished)
    }

    @Test(arguments: everyEngine)
    func `that finds nothing completes its progress`(_ type: StoreType) async throws {
        let (stack, context) = try Self.stack(type, count: 0)
        defer { withExtendedLifetime(stack) {} }
        let progress = Progress(totalUnitCount: 7)

        let found = try await context.fetchInBackground(try Self.request, reporting: progress)

        #expect(found.isEmpty && progress.isFinished)
    }

    @Test(arguments: everyEngine)
    func `ends when its progress is cancelled`(_ type: StoreType) async throws {
        let (stack, context) = try Self.stack(type, count: Self.count)
        defer { withExtendedLifetime(stack) {} }
        let progress = Recorder { $0.cancel() }

        let isCancelled = await Self.isCancelled {
            try await context.fetchInBackground(try Self.request, reporting: progress)
        }

        #expect(isCancelled)
        #expect(progress.counts.withLock { $0.count } == 1)
        #expect(!progress.isFinished)
        #expect(try context.fetch(try Self.request).count == Self.count)
    }

    @Test(arguments: everyEngine)
    func `ends with its task`(_ type: StoreType) async throws {
        let (stack, context) = try Self.stack(type, count: Self.count)
        defer { withExtendedLifetime(stack) {} }
        let progress = Recorder { _ in withUnsafeCurrentTask { $0?.cancel() } }

        let fetch = Task {
            await Self.isCancelled {
                try await context.fetchInBackground(try Self.request, reporting: progress)
            }
        }

        #expect(await fetch.value)
        #expect(progress.counts.withLock { $0.count } == 1)
    }
}
