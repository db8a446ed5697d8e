import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Synchronization
import Testing

/// Stores that are removed, added again and replaced while contexts exist.
@Suite struct `A store that is removed` {
    private func isUnknown(_ error: GraphError?) -> Bool {
        if case .unknownStore? = error { true } else { false }
    }

    @Test(arguments: SeveralStack.combinations)
    func `leaves its objects as faults with a clear error, and other objects unchanged`(
        _ types: [StoreType]
    ) throws {
        let stack = try SeveralStack(types)
        try stack.fill()
        let handle = ContextHandle(coordinator: stack.coordinator)
        try handle.performAndWait { context in
            // Keeps the objects alive until the end of the body.
            let items = Array(try context.fetch(FetchRequest<ManagedObject>("Item")))
            for item in items { _ = try item.value(forKey: "a") }
            let mine = try #require(try context.item("0"))
            let other = try #require(try context.item("1"))
            try stack.coordinator.remove(stack.stores[0])

            let found = try context.items()
            let error = try graphError { _ = try mine.value(forKey: "a") }

            #expect(found == stack.types.indices.dropFirst().map { "\($0)=1" })
            #expect(mine.isFault)
            #expect(isUnknown(error), "\(error as Any)")
            #expect("\(error as Any)".contains("\(stack.stores[0].request.location)"))
            #expect(!other.isFault)
            #expect(try other.value(forKey: "a") as? Int64 == 1)
            _ = items
        }
    }

    @Test(arguments: SeveralStack.combinations)
    func `leaves the faults of a child`(_ types: [StoreType]) throws {
        let stack = try SeveralStack(types)
        try stack.fill()
        let parent = ContextHandle(coordinator: stack.coordinator)
        try ContextHandle(parent: parent).performAndWait { child in
            let mine = try #require(try child.item("0"))
            _ = try mine.value(forKey: "a")
            try stack.coordinator.remove(stack.stores[0])
            _ = try child.items()

            #expect(mine.isFault)
            #expect(isUnknown(try graphError { _ = try mine.value(forKey: "a") }))
        }
    }

    @Test(arguments: SeveralStack.combinations.filter { $0[0] != .inMemory })
    func `refuses changes of its objects until it is added again`(_ types: [StoreType]) throws {
        let stack = try SeveralStack(types)
        try stack.fill()

        try stack.inContext { context in
            try context.setAll(2)
            let new = try context.insertItem("new", in: stack.stores[0])
            let removed = stack.stores[0]
            try stack.coordinator.remove(removed)
            let error = try graphError { try context.save() }
            let others = try stack.items()
            let added = try stack.coordinator.addPersistentStore(
                ofType: types[0], at: try stack.url(0))
            try context.save()

            #expect(isUnknown(error), "\(error as Any)")
            // The other stores saved nothing either.
            #expect(others == stack.types.indices.dropFirst().map { "\($0)=1" })
            #expect(new.objectID.store == added.number)
        }

        #expect(try stack.items() == stack.types.indices.map { "\($0)=2" } + ["new=1"])
    }

    @Test(arguments: SeveralStack.combinations)
    func `takes no part in a save after the changes of its objects were discarded`(
        _ types: [StoreType]
    ) throws {
        let stack = try SeveralStack(types)
        try stack.fill()

        try stack.inContext { context in
            let mine = try #require(try context.item("0"))
            try context.setAll(2)
            let new = try context.insertItem("new", in: stack.stores[0])
            try stack.coordinator.remove(stack.stores[0])
            #expect(isUnknown(try graphError { try context.save() }))
            try context.refresh(mine, mergeChanges: false)
            try context.assign(new, to: stack.stores[1])
            try context.save()

            #expect(mine.isFault)
        }

        #expect(
            try stack.items() == stack.types.indices.dropFirst().map { "\($0)=2" } + ["new=1"])
    }

    @Test(arguments: SeveralStack.combinations)
    func `leaves its objects as faults when changes are rolled back`(_ types: [StoreType]) throws {
        let stack = try SeveralStack(types)
        try stack.fill()

        try stack.inContext { context in
            let mine = try #require(try context.item("0"))
            let other = try #require(try context.item("1"))
            try context.setAll(2)
            try stack.coordinator.remove(stack.stores[0])
            let kept = try mine.value(forKey: "a") as? Int64
            context.rollback()

            #expect(kept == 2)
            #expect(mine.isFault)
            #expect(try other.value(forKey: "a") as? Int64 == 1)
            #expect(!context.hasChanges)
        }
    }

    @Test(arguments: SeveralStack.combinations.filter { $0[0] != .inMemory })
    func `and replaced by another one shows the contents of the new one`(_ types: [StoreType])
        throws
    {
        let stack = try SeveralStack(types)
        let source = try SeveralStack(types)
        for each in [stack, source] { try each.fill() }
        try source.inContext { context in
            try context.setAll(9)
            try context.save()
        }
        try source.close()

        try stack.inContext { context in
            let mine = try #require(try context.item("0"))
            _ = try mine.value(forKey: "a")
            try stack.coordinator.remove(stack.stores[0])
            try stack.coordinator.replacePersistentStore(
                at: stack.url(0), withPersistentStoreFrom: source.url(0), type: types[0])
            try stack.coordinator.addPersistentStore(ofType: types[0], at: stack.url(0))

            #expect(try context.items() == ["0=9"] + types.indices.dropFirst().map { "\($0)=1" })
            #expect(isUnknown(try graphError { _ = try mine.value(forKey: "a") }))
        }
    }

    @Test func `is reported to the coordinator's observers, as is an exchange with both stores`()
        throws
    {
        let stack = try SeveralStack(["SQLite", "LMDB"])
        try stack.fill()
        let log = StoreChangeLog(stack.coordinator)

        let new = try stack.coordinator.migratePersistentStore(
            stack.stores[0], to: stack.folder.file("moved.store"), type: .lmdb)
        try stack.coordinator.remove(new)

        #expect(
            log.changes == [
                [
                    "added \(new.number)", "changed \(stack.stores[0].number) \(new.number)",
                    "removed \(stack.stores[0].number)",
                ],
                ["removed \(new.number)"],
            ])
    }

    /// A save is in both stores or in neither, whenever one of them is removed.
    @Test(arguments: SeveralStack.journaled.filter { $0.count == 2 })
    func `during a save gets its part or refuses the save`(
        _ types: [StoreType]
    ) throws {
        let stack = try SeveralStack(types)
        try stack.fill()
        let saves = Mutex(0)
        let failures = Mutex<[String]>([])

        DispatchQueue.concurrentPerform(iterations: 2) { isSaver in
            do {
                for number in 2...(isSaver == 0 ? 30 : 300) {
                    if isSaver == 0 {
                        // Long enough for several saves.
                        usleep(20_000)
                        try removeAndAddAgain(0, of: stack)
                    } else if try save(number, in: stack) {
                        saves.withLock { $0 += 1 }
                    }
                }
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }
        try stack.close()

        let values = try SeveralStack(types, in: stack.folder).items()
            .map { $0.split(separator: "=").last }
        #expect(failures.withLock { $0 }.isEmpty)
        #expect(Set(values).count == 1 && values.count == 2, "\(values)")
        #expect(saves.withLock { $0 } > 0)
    }

    private func removeAndAddAgain(_ index: Int, of stack: SeveralStack) throws {
        let location = StoreLocation.file(try stack.url(index))
        let stores = stack.coordinator.persistentStores
        guard let store = stores.first(where: { $0.request.location == location }) else { return }
        try stack.coordinator.remove(store)
        try stack.coordinator.addPersistentStore(
            ofType: stack.types[index], at: try stack.url(index))
    }

    /// Gives all items a value in a single save. Returns `false` if a store was or became unavailable.
    private func save(_ number: Int, in stack: SeveralStack) throws -> Bool {
        try stack.inContext { context in
            let error = try graphError {
                guard try context.items().count == 2 else { throw GraphError.saveCancelled }
                try context.setAll(Int64(number))
                try context.save()
            }
            switch error {
            // The save also succeeded if the store was closed before its commit.
            case nil, .savePending: return true
            case .unknownStore, .saveCancelled, .store(.closed), .store(.savePending): return false
            case let error?: throw error
            }
        }
    }
}

/// Records a coordinator's notifications about its stores.
private final class StoreChangeLog {
    private(set) var changes: [[String]] = []
    private var token: (any NSObjectProtocol)?

    init(_ coordinator: PersistentStoreCoordinator) {
        nonisolated(unsafe) let log = self
        token = NotificationCenter.default.addObserver(
            forName: PersistentStoreCoordinator.storesDidChangeNotification, object: coordinator,
            queue: nil
        ) { notification in
            log.changes.append(
                (notification.userInfo ?? [:]).map { key, stores in
                    let numbers = (stores as? [any PersistentStore] ?? []).map { "\($0.number)" }
                    return ([("\(key)")] + numbers).joined(separator: " ")
                }.sorted())
        }
    }

    deinit { if let token { NotificationCenter.default.removeObserver(token) } }
}
