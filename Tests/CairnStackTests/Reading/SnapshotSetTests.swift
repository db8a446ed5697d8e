import CairnModel
import CairnStore
import StackSupport
import Testing

/// The number of snapshots taken for a fetch over several stores.
@Suite struct `States of several stores` {
    /// Returns two stores with one book each, and the list of calls of each store.
    private func stack() throws -> (
        stack: LibraryStack, stores: [any PersistentStore], calls: [CallList]
    ) {
        let stack = try LibraryStack(engines: [CountingStore.self])
        let calls = [CallList(), CallList()]
        var stores: [any PersistentStore] = []
        for (calls, configuration) in zip(calls, ["Library", "Archive"]) {
            stores.append(
                try stack.coordinator.addPersistentStore(
                    ofType: CountingStore.type, configurationName: configuration,
                    options: [CallList.option: .string(calls.name)]))
        }
        for store in stores { try stack.saveBooks(["a book"], in: store) }
        for list in calls { _ = list.take() }
        return (stack, stores, calls)
    }

    @Test func `are read once until somebody saves`() throws {
        let (stack, _, calls) = try stack()
        let plan = try stack.plan(stack.book, sort: [("title", true)])
        _ = try stack.coordinator.fetch(plan, in: nil)
        for list in calls { _ = list.take() }

        let found = try stack.coordinator.fetch(plan, in: nil)

        #expect(found.count == 2)
        #expect(calls.map { $0.take() } == [["snapshot"], ["snapshot"]])
    }

    @Test func `are checked again after a save`() throws {
        let (stack, stores, calls) = try stack()
        let plan = try stack.plan(stack.book)
        _ = try stack.coordinator.fetch(plan, in: nil)
        try stack.saveBooks(["another book"], in: stores[1])
        for list in calls { _ = list.take() }

        let found = try stack.coordinator.fetch(plan, in: nil)

        #expect(found.count == 3)
        #expect(calls.map { $0.take().count { $0 == "snapshot" } } == [3, 3])
    }

    @Test func `are not confused with those of an earlier opening of the store`() throws {
        let (stack, stores, calls) = try stack()
        let plan = try stack.plan(stack.book)
        _ = try stack.coordinator.fetch(plan, in: nil)
        try stack.coordinator.remove(stores[1])
        let list = CallList()
        let again = try stack.coordinator.addPersistentStore(
            ofType: CountingStore.type, configurationName: "Archive",
            options: [CallList.option: .string(list.name)])
        // This save gives the store the generation that the removed store had.
        try stack.saveBooks(["a book"], in: again)
        _ = calls[0].take()
        _ = list.take()

        let found = try stack.coordinator.fetch(plan, in: nil)

        #expect(found.count == 2)
        #expect(list.take().count { $0 == "snapshot" } == 3)
    }
}
