import CairnModel
import CairnStore
import CairnTesting
import StackSupport
import Testing

/// The number of snapshots taken for a fetch over several stores.
@Suite struct `States of several stores` {
    /// Returns two stores with one book each, and the objects that count the calls to each store.
    private func stack() throws -> (
        stack: LibraryStack, stores: [any PersistentStore], calls: [StoreFaults]
    ) {
        let stack = try LibraryStack()
        let calls = [StoreFaults(), StoreFaults()]
        let stores = try zip(["Library", "Archive"], calls).map {
            try stack.add($0, faults: $1)
        }
        for store in stores { try stack.saveBooks(["a book"], in: store) }
        for list in calls { list.resetCallCounts() }
        return (stack, stores, calls)
    }

    @Test func `are read once until somebody saves`() throws {
        let (stack, _, calls) = try stack()
        let plan = try stack.plan(stack.book, sort: [("title", true)])
        _ = try stack.coordinator.fetch(plan, in: nil)
        for list in calls { list.resetCallCounts() }

        let found = try stack.coordinator.fetch(plan, in: nil)

        #expect(found.count == 2)
        #expect(calls.map { $0.callCount(of: .snapshot) } == [1, 1])
        #expect(calls.map { $0.callCount(of: .newestGeneration) } == [0, 0])
    }

    @Test func `are checked again after a save`() throws {
        let (stack, stores, calls) = try stack()
        let plan = try stack.plan(stack.book)
        _ = try stack.coordinator.fetch(plan, in: nil)
        try stack.saveBooks(["another book"], in: stores[1])
        for list in calls { list.resetCallCounts() }

        let found = try stack.coordinator.fetch(plan, in: nil)

        #expect(found.count == 3)
        #expect(calls.map { $0.callCount(of: .snapshot) } == [3, 3])
    }

    @Test func `are not confused with those of an earlier opening of the store`() throws {
        let (stack, stores, calls) = try stack()
        let plan = try stack.plan(stack.book)
        _ = try stack.coordinator.fetch(plan, in: nil)
        try stack.coordinator.remove(stores[1])
        let list = StoreFaults()
        let again = try stack.add("Archive", faults: list)
        // This save gives the store the generation that the removed store had.
        try stack.saveBooks(["a book"], in: again)
        calls[0].resetCallCounts()
        list.resetCallCounts()

        let found = try stack.coordinator.fetch(plan, in: nil)

        #expect(found.count == 2)
        #expect(list.callCount(of: .snapshot) == 3)
    }
}
