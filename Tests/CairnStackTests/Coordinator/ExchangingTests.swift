import CairnMemory
import CairnStore
import Foundation
import StackSupport
import Testing

@testable import CairnStack

@Suite struct `Exchanging stores` {
    private let stack: LibraryStack

    init() throws { stack = try LibraryStack() }

    private func exchange(
        _ store: any PersistentStore, noting removed: inout Int,
        opening open: (
            _ engine: any PersistentStore.Type, _ request: OpenRequest
        ) throws(GraphError) -> any PersistentStore
    ) throws(GraphError) -> any PersistentStore {
        var count = 0
        defer { removed += count }
        return try stack.coordinator.exchange(
            store, forStoreOfType: "InMemory", at: nil, options: [:], opening: open,
            removing: { _, _ in count += 1 })
    }

    private func open(
        _ engine: any PersistentStore.Type, _ request: OpenRequest
    ) throws(GraphError) -> any PersistentStore {
        do {
            return try engine.open(request)
        } catch {
            throw .store(error)
        }
    }

    @Test func `puts the new store where the old one was`() throws {
        let first = try stack.add("Library")
        let second = try stack.add("Notes")
        var removed = 0

        let new = try exchange(first, noting: &removed) { (engine, request) throws(GraphError) in
            try open(engine, request)
        }

        #expect(stack.coordinator.persistentStores.map(\.number) == [new.number, second.number])
        #expect(new.configurationName == "Library")
        #expect(removed == 0)
    }

    @Test func `leaves the coordinator unchanged if the new store cannot be opened`() throws {
        let store = try stack.add()
        var removed = 0

        let error = #expect(throws: GraphError.self) {
            try exchange(store, noting: &removed) { (_, request) throws(GraphError) in
                throw .destinationExists(request.location)
            }
        }

        guard case .destinationExists? = error else {
            Issue.record("not what opening threw: \(error as Any)")
            return
        }
        #expect(stack.coordinator.persistentStores.map(\.number) == [store.number])
        // Whatever an attempt to open creates, the opening code itself must remove.
        #expect(removed == 0)
    }

    @Test func `closes and removes the new store if the old one was already removed`() throws {
        let store = try stack.add()
        var removed = 0
        var made: (any PersistentStore)?

        let error = #expect(throws: GraphError.self) {
            try exchange(store, noting: &removed) { (engine, request) throws(GraphError) in
                // Another thread may remove the store at this point.
                try stack.coordinator.remove(store)
                let new = try open(engine, request)
                made = new
                return new
            }
        }

        guard case .unknownStore? = error else {
            Issue.record("not unknown: \(error as Any)")
            return
        }
        #expect(removed == 1)
        #expect(stack.coordinator.persistentStores.isEmpty)
        #expect(throws: StoreError.self) { try made?.snapshot() }
    }
}
