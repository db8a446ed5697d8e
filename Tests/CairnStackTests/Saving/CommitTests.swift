import CairnModel
import CairnTesting
import Dispatch
import Foundation
import StackSupport
import Synchronization
import Testing

@testable import CairnObjects
@testable import CairnStack

/// Tests on which thread a save commits, and that nothing cancels a commit.
@Suite(.serialized, .timeLimit(.minutes(1))) struct `A commit` {
    private let faults = StoreFaults()
    private let stack: LibraryStack

    init() throws {
        stack = try LibraryStack()
        try stack.add(faults: faults)
    }

    @Test @MainActor func `of a background save runs on a thread of the executor`() async throws {
        let isOnExecutor = Mutex<[Bool]>([])
        let executor = stack.coordinator.executor
        let context = ManagedObjectContext(coordinator: stack.coordinator)
        faults.observe(.commitAnswer) { isOnExecutor.withLock { $0.append(executor.isCurrent) } }
        try Self.insertBook(into: context)

        try await context.saveInBackground()

        #expect(isOnExecutor.withLock { $0 } == [true])
    }

    /// Engines check the progress while they write, not afterwards.
    @Test func `does not begin if the progress was cancelled after the last row`() throws {
        let progress = Progress(totalUnitCount: 1)
        faults.observe(.prepare, .afterSuccess) { progress.cancel() }
        let handle = ContextHandle(coordinator: stack.coordinator)

        let (error, hasChanges) = try handle.performAndWait { context in
            try Self.insertBook(into: context)
            let error = #expect(throws: GraphError.self) {
                try context.save(reporting: progress)
            }
            return (error, context.hasChanges)
        }

        if case .saveCancelled = error {} else { Issue.record("\(String(describing: error))") }
        #expect(hasChanges)
        #expect(try storedCount() == 0)
    }

    @Test func `that has begun is not stopped by cancelling its progress`() throws {
        let progress = Progress(totalUnitCount: 1)
        faults.observe(.commitAnswer) { progress.cancel() }

        let handle = ContextHandle(coordinator: stack.coordinator)

        let hasChanges = try handle.performAndWait { context in
            try Self.insertBook(into: context)
            try context.save(reporting: progress)
            return context.hasChanges
        }

        #expect(progress.isCancelled)
        #expect(!hasChanges)
        #expect(try storedCount() == 1)
    }

    @Test func `that has begun is not stopped by cancelling its task`() async throws {
        faults.observe(.commitAnswer) { withUnsafeCurrentTask { $0?.cancel() } }
        let handle = ContextHandle(coordinator: stack.coordinator)

        let outcome = try await Task {
            try await handle.perform { context in
                try Self.insertBook(into: context)
                try context.save()
                return (Task.isCancelled, context.hasChanges)
            }
        }.value

        #expect(outcome == (true, false))
        #expect(try storedCount() == 1)
    }

    @Test @MainActor
    func `of a background save that has begun is not stopped by cancelling its task or progress`()
        async throws
    {
        let progress = Progress(totalUnitCount: 1)
        let context = ManagedObjectContext(coordinator: stack.coordinator)
        try Self.insertBook(into: context)
        faults.observe(.commitAnswer) {
            progress.cancel()
            withUnsafeCurrentTask { $0?.cancel() }
        }

        let isCancelled = try await Task {
            try await context.saveInBackground(reporting: progress)
            return Task.isCancelled
        }.value

        #expect(isCancelled)
        #expect(!context.hasChanges)
        #expect(try storedCount() == 1)
    }

    private static func insertBook(into context: ManagedObjectContext) throws {
        try context.insertNewObject(forEntityName: "Book").setValue("Book", forKey: "title")
    }

    private func storedCount() throws -> Int {
        try stack.coordinator.count(stack.plan(stack.book), in: nil)
    }
}
