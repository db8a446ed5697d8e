import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Synchronization
import Testing

/// A save of many objects reports its progress, and can be cancelled before its commit.
@Suite(.timeLimit(.minutes(2))) struct `The progress of a save` {
    private static let count = 3000

    @Test(arguments: everyEngine)
    func `reaches its total, the number of objects`(_ type: StoreType) throws {
        let stack = try ItemStack(type)
        let progress = WatchedProgress()

        try Self.insertItems(in: stack, reporting: progress)

        let counts = progress.counts
        #expect(progress.totalUnitCount == Self.count)
        #expect(counts.last == Int64(Self.count))
        #expect(counts == counts.sorted())
        #expect(counts.filter { 0 < $0 && $0 < Self.count }.count > 1, "\(counts)")
        #expect(try Self.storedCount(in: stack) == Self.count)
    }

    @Test func `is completed if there is nothing to save, as is its parent`() throws {
        let stack = try ItemStack(.inMemory)
        let parent = Progress(totalUnitCount: 1)
        let progress = Progress(totalUnitCount: 0, parent: parent, pendingUnitCount: 1)

        try stack.inContext { try $0.save(reporting: progress) }

        #expect(progress.isFinished)
        #expect(parent.isFinished)
    }

    @Test(arguments: everyEngine)
    func `also counts updates and deletions`(_ type: StoreType) throws {
        let stack = try ItemStack(type)
        try Self.insertItems(in: stack, reporting: WatchedProgress())
        let progress = WatchedProgress()

        try stack.inContext { context in
            let items: [ManagedObject] = try context.fetch(FetchRequest<ManagedObject>("Item"))
            for item in items[..<1000] { try item.setValue(Int64(7), forKey: "a") }
            for item in items[1000..<1500] { try context.delete(item) }
            try context.save(reporting: progress)
        }

        #expect(progress.totalUnitCount == 1500)
        #expect(progress.counts.last == 1500)
        #expect(progress.counts.filter { 0 < $0 && $0 < 1500 }.count > 1)
    }

    @Test(arguments: everyEngine)
    func `ends the save if it is cancelled half-way`(_ type: StoreType) throws {
        let stack = try ItemStack(type)
        let handle = try stack.handle()
        let progress = WatchedProgress(cancellingAt: Int64(Self.count / 2))
        let error = try handle.performAndWait { context in
            try Self.insertItems(in: context)
            return #expect(throws: GraphError.self) { try context.save(reporting: progress) }
        }
        let left = try Self.storedCount(in: stack)
        let pending = try handle.performAndWait { $0.insertedObjects.count }

        try handle.performAndWait { try $0.save() }

        #expect(error?.isSaveCancelled == true, "\(String(describing: error))")
        #expect(progress.completedUnitCount < Self.count)
        #expect(left == 0)
        #expect(pending == Self.count)
        #expect(try Self.storedCount(in: stack) == Self.count)
    }

    @Test(arguments: everyEngine)
    func `has no effect if it is cancelled after the commit`(_ type: StoreType) throws {
        let stack = try ItemStack(type)
        let progress = WatchedProgress(cancellingAt: Int64(Self.count))

        try Self.insertItems(in: stack, reporting: progress)

        #expect(progress.isCancelled)
        #expect(try Self.storedCount(in: stack) == Self.count)
    }

    @Test(arguments: everyEngine)
    func `ends a save at once if it was cancelled before`(_ type: StoreType) throws {
        let stack = try ItemStack(type)
        let progress = WatchedProgress()
        progress.cancel()

        let error = #expect(throws: GraphError.self) {
            try Self.insertItems(in: stack, reporting: progress)
        }

        #expect(error?.isSaveCancelled == true)
        #expect(try Self.storedCount(in: stack) == 0)
    }

    @Test(arguments: everyEngine)
    func `ends the save of a task that is cancelled`(_ type: StoreType) async throws {
        let stack = try ItemStack(type)
        let progress = WatchedProgress(at: Int64(Self.count / 2)) {
            withUnsafeCurrentTask { $0?.cancel() }
        }

        let error = await #expect(throws: GraphError.self) {
            try await Task {
                try await stack.handle().perform { context in
                    try Self.insertItems(in: context)
                    try context.save(reporting: progress)
                }
            }.value
        }

        #expect(error?.isSaveCancelled == true)
        #expect(try Self.storedCount(in: stack) == 0)
    }

    @Test func `of a child ends before its parent has the changes`() throws {
        let stack = try ItemStack(.inMemory)
        let parent = try stack.handle()
        let (cancelled, watched) = (WatchedProgress(), WatchedProgress())
        cancelled.cancel()

        let (error, before) = try ContextHandle(parent: parent).performAndWait { child in
            try Self.insertItems(in: child)
            let error = #expect(throws: GraphError.self) {
                try child.save(reporting: cancelled)
            }
            let before = try parent.performAndWait { $0.insertedObjects.count }
            try child.save(reporting: watched)
            return (error, before)
        }

        #expect(error?.isSaveCancelled == true)
        #expect(before == 0)
        #expect(watched.counts.last == Int64(Self.count))
        #expect(try parent.performAndWait { $0.insertedObjects.count } == Self.count)
    }

    @Test func `counts the objects of all stores together`() throws {
        let stack = try ItemStack(.inMemory, "SQLite")
        let progress = WatchedProgress()

        try stack.inContext { context in
            try Self.insertItems(in: context)
            for (number, item) in context.insertedObjects.enumerated() {
                try context.assign(item, to: stack.stores[number % 2])
            }
            try context.save(reporting: progress)
        }

        #expect(progress.counts == progress.counts.sorted())
        #expect(progress.counts.last == Int64(Self.count))
    }

    // MARK: Helpers

    private static func insertItems(
        in stack: ItemStack, reporting progress: WatchedProgress
    ) throws {
        try stack.inContext { context in
            try insertItems(in: context)
            try context.save(reporting: progress)
        }
    }

    private static func insertItems(in context: ManagedObjectContext) throws {
        for number in 0..<count {
            try context.insertNewObject(forEntityName: "Item")
                .setValue("item \(number)", forKey: "name")
        }
    }

    private static func storedCount(in stack: ItemStack) throws -> Int {
        try stack.inContext { try $0.count(for: FetchRequest<ManagedObject>("Item")) }
    }
}

extension GraphError {
    fileprivate var isSaveCancelled: Bool {
        if case .saveCancelled = self { true } else { false }
    }
}

/// A progress that records its counts and performs an action at one of them.
private final class WatchedProgress: Progress, @unchecked Sendable {
    // Unchecked like `Progress` itself: the added properties are constant or protected by a mutex.
    private let threshold: Int64
    private let action: (@Sendable () -> Void)?
    private let noted = Mutex<[Int64]>([])

    init(at threshold: Int64 = .max, _ action: (@Sendable () -> Void)? = nil) {
        self.threshold = threshold
        self.action = action
        super.init(parent: nil)
    }

    /// Creates a progress that cancels itself at the given count.
    convenience init(cancellingAt threshold: Int64) { self.init(at: threshold) }

    var counts: [Int64] { noted.withLock { $0 } }

    override var completedUnitCount: Int64 {
        didSet {
            let count = completedUnitCount
            noted.withLock { $0.append(count) }
            guard count >= threshold else { return }
            if let action { action() } else { cancel() }
        }
    }
}
