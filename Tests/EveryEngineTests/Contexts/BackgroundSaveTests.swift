import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Synchronization
import Testing

/// A save of a main-queue context that does not block the main actor: the content of the save, and the state
/// that the context shows during the save.
@Suite(.serialized, .timeLimit(.minutes(2))) @MainActor
struct `A background save of a main-queue context` {
    @Test(arguments: everyEngine)
    func `leaves the main actor free while it waits for a lock`(_ type: StoreType) async throws {
        let (stack, context) = try Self.stack(type)
        try context.insertItem("first")
        let lock = try HeldStoreLock(of: stack.stores[0])

        let save = Task { try await context.saveInBackground() }
        await Self.waitForSaver(in: stack)
        // Each iteration is a turn of the main actor, which the save must not block.
        for _ in 0..<100 { await Task.yield() }
        let (names, during) = (try Self.names(of: context.insertedObjects), context.hasChanges)
        lock.release()
        try await save.value

        #expect(names == ["first"])
        #expect(during)
        #expect(!context.hasChanges)
        #expect(try Self.storedNames(in: stack) == ["first"])
    }

    @Test(arguments: everyEngine)
    func `leaves changes made meanwhile to the next save`(_ type: StoreType) async throws {
        let (stack, context) = try Self.stack(type)
        let item = try context.insertItem("first")
        let save = try await Self.saveBehindLock(context, in: stack)

        try item.setValue("second", forKey: "name")
        try context.insertItem("new")
        let stored = try Self.storedNames(in: stack)
        try await save.value
        let changed = context.updatedObjects == [item]
        try await context.saveInBackground()

        #expect(stored == ["first"])
        #expect(changed)
        #expect(try Self.storedNames(in: stack) == ["new", "second"])
    }

    @Test(arguments: everyEngine)
    func `shows no object twice to a fetch made meanwhile`(_ type: StoreType) async throws {
        let (stack, context) = try Self.stack(type)
        try context.insertItem("first")
        let save = try await Self.saveBehindLock(context, in: stack)

        let found: [ManagedObject] = try context.fetch(FetchRequest<ManagedObject>("Item"))
        let names = try Self.names(of: found)
        try await save.value

        #expect(names == ["first"])
        #expect(found.allSatisfy { !$0.objectID.isTemporary })
    }

    @Test(arguments: everyEngine)
    func `ends before a rollback, a deletion and another save`(_ type: StoreType) async throws {
        let (stack, context) = try Self.stack(type)
        let item = try context.insertItem("first")
        var save = try await Self.saveBehindLock(context, in: stack)
        context.rollback()
        let kept = try Self.storedNames(in: stack)
        try await save.value

        try item.setValue("second", forKey: "name")
        save = try await Self.saveBehindLock(context, in: stack)
        try context.delete(item)
        try await save.value
        let deleted = context.deletedObjects == [item]

        save = try await Self.saveBehindLock(context, in: stack)
        try context.save()
        try await save.value

        #expect(kept == ["first"])
        #expect(deleted)
        #expect(try Self.storedNames(in: stack).isEmpty)
    }

    @Test(arguments: everyEngine)
    func `waits for the previous save without blocking`(_ type: StoreType) async throws {
        let (stack, context) = try Self.stack(type)
        try context.insertItem("first")
        let lock = try HeldStoreLock(of: stack.stores[0])
        let first = Task { try await context.saveInBackground() }
        await Self.waitForSaver(in: stack)

        let second = Task { try await context.saveInBackground() }
        for _ in 0..<100 { await Task.yield() }
        lock.release()
        try await first.value
        try await second.value

        #expect(try Self.storedNames(in: stack) == ["first"])
    }

    @Test(arguments: everyEngine)
    func `saves nothing if its task is cancelled while it waits`(_ type: StoreType) async throws {
        let (stack, context) = try Self.stack(type)
        try context.insertItem("first")
        let lock = try HeldStoreLock(of: stack.stores[0])
        let save = Task { try await context.saveInBackground() }
        await Self.waitForSaver(in: stack)

        save.cancel()
        let error = await #expect(throws: GraphError.self) { try await save.value }
        lock.release()
        let stored = try Self.storedNames(in: stack)
        try await context.saveInBackground()

        if case .saveCancelled = error {} else { Issue.record("\(String(describing: error))") }
        #expect(stored.isEmpty)
        #expect(try Self.storedNames(in: stack) == ["first"])
    }

    @Test(arguments: everyEngine)
    func `reports its progress`(_ type: StoreType) async throws {
        let (stack, context) = try Self.stack(type)
        for number in 0..<500 { try context.insertItem("\(number)") }
        let cancelled = Progress(totalUnitCount: 1)
        let progress = Progress(totalUnitCount: 1)
        cancelled.cancel()

        await #expect(throws: GraphError.self) {
            try await context.saveInBackground(reporting: cancelled)
        }
        let stored = try Self.storedNames(in: stack)
        try await context.saveInBackground(reporting: progress)

        #expect(stored.isEmpty)
        #expect(progress.completedUnitCount == 500)
        #expect(progress.totalUnitCount == 500)
        #expect(try Self.storedNames(in: stack).count == 500)
    }

    @Test(arguments: everyEngine)
    func `leaves the context unchanged if the store refuses`(_ type: StoreType) async throws {
        let (stack, context) = try Self.stack(type)
        let item = try context.insertItem("first")
        try item.setValue("same", forKey: "code")
        try await context.saveInBackground()
        let other = try context.insertItem("other")
        try other.setValue("same", forKey: "code")

        await #expect(throws: GraphError.self) { try await context.saveInBackground() }
        let inserted = context.insertedObjects == [other]
        try other.setValue("another", forKey: "code")
        try await context.saveInBackground()

        #expect(inserted)
        #expect(try Self.storedNames(in: stack) == ["first", "other"])
    }

    @Test(arguments: everyEngine)
    func `resolves conflicts as a plain save does`(_ type: StoreType) async throws {
        var outcomes: [[String]] = []
        for inBackground in [false, true] {
            for policy in Self.policies {
                outcomes.append(try await Self.outcome(of: policy, type, inBackground))
            }
        }

        let (plain, background) = (outcomes.prefix(5), outcomes.suffix(5))
        #expect(Array(plain) == Array(background))
        #expect(Set(outcomes).count > 1)
    }

    @Test func `of a child goes to its private parent`() async throws {
        let stack = try ItemStack(.inMemory)
        let parent = try stack.handle()
        let context = ManagedObjectContext(parent: parent)
        try context.insertItem("first")

        try await context.saveInBackground()
        let inParent = try await parent.perform { $0.insertedObjects.count }
        try await parent.perform { try $0.save() }
        try context.insertItem("second")
        try await context.saveInBackground()

        #expect(inParent == 1)
        #expect(try await parent.perform { $0.insertedObjects.count } == 1)
        #expect(try Self.storedNames(in: stack) == ["first"])
    }

    @Test func `of a child of a main-queue context is a plain save`() async throws {
        let (_, parent) = try Self.stack(.inMemory)
        let context = ManagedObjectContext(parent: parent.handle)
        try context.insertItem("first")

        try await context.saveInBackground()

        #expect(try Self.names(of: parent.insertedObjects) == ["first"])
    }

    @Test(arguments: everyEngine)
    func `makes a later background fetch wait, and that fetch shows the changes`(_ type: StoreType)
        async throws
    {
        let (stack, context) = try Self.stack(type)
        try context.insertItem("first")
        let lock = try HeldStoreLock(of: stack.stores[0])
        let save = Task { try await context.saveInBackground() }
        await Self.waitForSaver(in: stack)
        let fetch = Task { try await Self.fetchedNames(in: context) }
        for _ in 0..<10 { await Task.yield() }
        lock.release()
        try await save.value
        let found = try await fetch.value

        try context.delete(try #require(try context.item("first")))
        try context.insertItem("second")
        let next = try await Self.fetchedNames(in: context)

        #expect(found == ["first"])
        #expect(next == ["second"])
    }

    /// The rows come from an earlier snapshot, but the context's own state is newer.
    @Test(arguments: everyEngine)
    func `is seen by a background fetch that began before`(_ type: StoreType) async throws {
        let (stack, context) = try Self.stack(type)
        for number in 0..<200 { try context.insertItem("\(number)") }
        try context.save()

        var hasEnded = false
        let fetch = Task {
            defer { hasEnded = true }
            return try await Self.fetchedNames(in: context)
        }
        await Task.yield()
        // On a busy machine, the whole fetch may run before this turn.
        let endedBefore = hasEnded
        try context.insertItem("between")
        try context.save()
        let found = try await fetch.value
        let stored = try Self.storedNames(in: stack)

        #expect(found.count == (endedBefore ? 200 : 201))
        #expect(Set(found).count == found.count)
        #expect(endedBefore || found == stored)
    }

    // MARK: Helpers

    private static var policies: [StandardMergePolicy] {
        [.error, .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback]
    }

    private static func stack(_ type: StoreType) throws -> (ItemStack, ManagedObjectContext) {
        let stack = try ItemStack(type)
        return (stack, ManagedObjectContext(coordinator: stack.coordinator))
    }

    /// Begins a save that waits for a lock. Another thread releases the lock soon afterwards.
    private static func saveBehindLock(
        _ context: ManagedObjectContext, in stack: ItemStack
    ) async throws -> Task<Void, any Error> {
        let lock = try HeldStoreLock(of: stack.stores[0])
        let save = Task { try await context.saveInBackground() }
        await waitForSaver(in: stack)
        Thread.detachNewThread { lock.release() }
        return save
    }

    private static func waitForSaver(in stack: ItemStack) async {
        await wait { stack.coordinator.executor.load.waiting > 0 }
    }

    private static func outcome(
        of policy: any MergePolicy, _ type: StoreType, _ inBackground: Bool
    ) async throws -> [String] {
        let (stack, context) = try stack(type)
        context.mergePolicy = policy
        let (changed, deleted) = (try context.insertItem("a"), try context.insertItem("b"))
        try context.save()
        try stack.inContext { other in
            try other.item("a")?.setValue("theirs", forKey: "name")
            if let item = try other.item("b") { try other.delete(item) }
            try other.save()
        }
        try changed.setValue("ours", forKey: "name")
        try deleted.setValue(Int64(1), forKey: "a")
        var failure = "saved"
        do {
            if inBackground { try await context.saveInBackground() } else { try context.save() }
        } catch {
            failure = "refused"
        }
        return try storedNames(in: stack) + [failure, "\(context.hasChanges)"]
    }

    private static func fetchedNames(in context: ManagedObjectContext) async throws -> [String] {
        try names(of: try await context.fetchInBackground(FetchRequest<ManagedObject>("Item")))
    }

    private static func storedNames(in stack: ItemStack) throws -> [String] {
        try stack.inContext { try names(of: try $0.fetch(FetchRequest<ManagedObject>("Item"))) }
    }

    nonisolated private static func names(
        of objects: some Sequence<ManagedObject>
    ) throws -> [String] {
        try objects.map { try $0.value(forKey: "name") as? String ?? "" }.sorted()
    }
}

/// Random changes of a main-queue context, made while background saves run.
@Suite(.serialized, .timeLimit(.minutes(2))) @MainActor
struct `Random changes beside background saves` {
    @Test(arguments: everyEngine, [1, 2] as [UInt64])
    func `end in the same state as the same changes with plain saves`(
        _ type: StoreType, _ seed: UInt64
    ) async throws {
        print("random background saves: \(type), seed \(seed)")
        let stack = try NoteStore(type)
        let context = ManagedObjectContext(coordinator: stack.coordinator)
        var random = SeededRandom(seed: seed)
        var oracle = GraphOracle()
        var waits = 0

        for _ in 0..<15 {
            for _ in 0..<6 { try oracle.change(context, using: &random) }
            guard context.hasChanges else { continue }
            let saved = oracle
            let lock = try HeldStoreLock(of: stack.coordinator.persistentStores[0])
            let save = Task { try await context.saveInBackground() }
            await wait { stack.coordinator.executor.load.waiting > 0 }
            waits += 1
            Thread.detachNewThread { lock.release() }
            if random.next() % 2 == 0 { try await save.value }
            // If a save is in progress, the first of these changes waits for its end.
            for _ in 0..<3 { try oracle.change(context, using: &random) }
            try oracle.check(context)
            try stack.inContext { try saved.check($0) }
            try await save.value
            try oracle.check(context)
            if random.next() % 4 == 0 {
                context.rollback()
                oracle = saved
                try oracle.check(context)
            }
        }
        try await context.saveInBackground()

        try stack.inContext { [oracle] in try oracle.check($0) }
        #expect(waits > 5)
    }
}

/// Waits until a condition is true, for half a minute: on a busy machine, a save may have given up before.
@MainActor private func wait(for condition: () -> Bool) async {
    let end = ContinuousClock.now + .seconds(30)
    while !condition(), ContinuousClock.now < end { await Task.yield() }
}

extension ManagedObjectContext {
    @discardableResult
    fileprivate func insertItem(_ name: String) throws -> ManagedObject {
        let item = try insertNewObject(forEntityName: "Item")
        try item.setValue(name, forKey: "name")
        return item
    }
}
