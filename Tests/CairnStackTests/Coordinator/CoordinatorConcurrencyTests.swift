import CairnMemory
import CairnModel
import CairnRows
import CairnStore
import Dispatch
import StackSupport
import Synchronization
import Testing

@testable import CairnStack

@Suite struct `Coordinator used by several threads` {
    /// Pages move from a book in one store to a book in another, so the sum is constant. A reader that saw
    /// half a save would find a different sum.
    @Test(arguments: ["InMemory", "Exclusive"])
    func `readers see a save over two stores in both or in neither`(_ engine: String) throws {
        let stack = try LibraryStack(engines: [InMemoryStore.self, ExclusiveStore.self])
        let stores = try ["Library", "Archive"].map {
            try stack.coordinator.addPersistentStore(
                ofType: StoreType(engine), configurationName: $0)
        }
        let ids = try stores.flatMap { try stack.saveBooks(["book"], pages: [500], in: $0) }
        let sums = Mutex<Set<Int64>>([])
        let failures = Mutex<[String]>([])
        let saves = Atomic<Int>(0)

        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            do {
                for round in 0..<100 {
                    if thread % 2 == 0 {
                        let sum = try sumOfPages(stack)
                        sums.withLock { _ = $0.insert(sum) }
                    } else {
                        try move(Int64(round % 7) - 3, between: ids, in: stack)
                        saves.add(1, ordering: .relaxed)
                    }
                }
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }

        let seen = sums.withLock { $0 }
        let unexpected = failures.withLock { $0 }
        #expect(unexpected.isEmpty)
        #expect(seen == [1000])
        #expect(saves.load(ordering: .relaxed) == 200)
    }

    private func sumOfPages(_ stack: LibraryStack) throws -> Int64 {
        let plan = try stack.plan(stack.book, sort: [("title", true)])
        let rows = try stack.coordinator.fetch(plan, in: nil)
        return try rows.rows.reduce(0) { try $0 + pages($1, stack) }
    }

    private func pages(_ row: Row, _ stack: LibraryStack) throws -> Int64 {
        let layout = stack.coordinator.layouts.layout(of: stack.book)
        return row.integer(try #require(layout.slot(named: "pages")))
    }

    /// Moves pages by reading, changing and saving. Repeats this whenever another save was faster.
    private func move(_ count: Int64, between ids: [ObjectID], in stack: LibraryStack) throws {
        while true {
            let rows = try stack.coordinator.freshRows(for: ids)
            let packer = ValuePacker(layouts: stack.coordinator.layouts)
            var changes = LibraryChanges(packer)
            for row in rows.rows {
                let change = row.id == ids[0] ? count : -count
                packer.values[row.id] = [
                    "title": "book", "pages": .integer(try pages(row, stack) + change),
                ]
                changes.updated.append(
                    .init(id: row.id, previousVersion: row.version, changedSlots: [0]))
            }
            do {
                _ = try stack.coordinator.save(changes)
                return
            } catch GraphError.store(.rowConflicts) {
                continue
            }
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a reader that waits for a save does not prevent its commit`() async throws {
        let stack = try LibraryStack(engines: [ExclusiveStore.self])
        let meeting = Meeting()
        let stores = try ["Library", "Archive"].map {
            try stack.coordinator.addPersistentStore(
                ofType: "Exclusive", configurationName: $0,
                options: [Meeting.option: .string(meeting.name)])
        }
        let packer = ValuePacker(layouts: stack.coordinator.layouts)
        var changes = LibraryChanges(packer)
        for (number, store) in zip(Int64(1)..., stores) {
            let id = stack.newID(stack.book, number)
            packer.values[id] = ["title": "book"]
            changes.inserted.append(id)
            changes.assignments[id] = store.number
        }
        let plan = try stack.plan(stack.book)
        let (counts, done) = AsyncStream<Result<Int, any Error>>.makeStream()
        DispatchQueue.global().async {
            meeting.isPrepared.wait()
            done.yield(Result { try stack.coordinator.fetch(plan, in: nil).count })
            done.finish()
        }

        _ = try stack.coordinator.save(changes)
        var count = 0
        for await result in counts { count = try result.get() }

        #expect(count == 2)
    }

    @Test func `stores are added and removed while others are read`() throws {
        let stack = try LibraryStack()
        let library = try stack.add("Library")
        let ids = try stack.saveBooks(["a", "b", "c"], in: library)
        let failures = Mutex<[String]>([])

        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            do {
                for _ in 0..<50 {
                    if thread == 0 {
                        try stack.coordinator.remove(try stack.add("Notes"))
                    } else {
                        let count = try stack.coordinator.rows(for: ids).count
                        let titles = try stack.titles(stack.plan(stack.book))
                        if count != 3 || titles.count != 3 { throw Missing() }
                    }
                }
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }

        let unexpected = failures.withLock { $0 }
        #expect(unexpected.isEmpty)
        #expect(stack.coordinator.persistentStores.count == 1)
    }
}
