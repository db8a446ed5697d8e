import CairnConformance
import CairnMemory
import CairnStore
import CairnTestSupport
import CairnTesting
import Foundation
import GraphSupport
import Synchronization
import Testing

@Suite struct `Faults of a store` {
    /// Makes one call of an operation to a store that contains an object.
    private static func call(
        _ operation: StoreOperation, _ store: any PersistentStore, _ id: ObjectID
    ) throws {
        let model = store.request.model
        let poet = try #require(model.entity(named: "Poet"))
        let plan = FetchPlan(entity: poet)
        switch operation {
        case .open:
            let again = try type(of: store).open(store.request)
            try again.close()
        case .metadata: _ = try store.metadata()
        case .snapshot: _ = try store.snapshot()
        case .newestGeneration: _ = try store.newestGeneration()
        case .fetch: _ = try store.snapshot().cursor(plan)
        case .nextBatch: _ = try store.snapshot().cursor(plan).next(atMost: 10)
        case .count: _ = try store.snapshot().count(plan)
        case .row: _ = try store.snapshot().row(for: id)
        case .rows: _ = try store.snapshot().rows(for: [id])
        case .relationship:
            let poems = try #require(poet.relationship(named: "poems"))
            _ = try store.snapshot().relatedIDs(poems, of: [id])
        case .externalData:
            _ = try store.snapshot().externalData(
                ExternalReference(store: store.number, name: "none"))
        case .changes:
            let snapshot = try store.snapshot()
            _ = try snapshot.changes(since: snapshot.generation)
        case .reserveKeys: _ = try store.reserveKeys([poet.number: 1])
        case .beginSave: try store.beginSave().rollback()
        case .prepare, .commit, .commitAnswer:
            let save = try store.beginSave()
            defer { save.rollback() }
            try save.prepare(SaveRequest())
            _ = try save.commit()
        case .outcome: _ = try store.outcome(of: SaveID())
        case .synchronize: try store.synchronize()
        case .close: try store.close()
        }
    }

    /// Returns a container with a store of one poet on an engine, the store, and the poet's ID.
    private static func store(
        _ type: StoreType, _ faults: StoreFaults
    ) async throws -> (PersistentContainer, any PersistentStore, ObjectID) {
        let container = try await PersistentContainer.poetry(type, faults: faults)
        try await container.save(poet: "Keats")
        let id = try await container.perform { context in
            try #require(context.fetchIDs(FetchRequest<Poet>()).first)
        }
        return (container, container.persistentStoreCoordinator.persistentStores[0], id)
    }

    @Test func `list the calls, and run a test's code before and after them`() async throws {
        let faults = StoreFaults()
        let (container, store, id) = try await Self.store(.inMemory, faults)
        let seen = Mutex<[[StoreOperation]]>([])
        faults.resetCallCounts()
        faults.observe(.rows) { seen.withLock { $0.append(faults.calls) } }
        faults.observe(.prepare, .afterSuccess) { seen.withLock { $0.append(faults.calls) } }

        try withExtendedLifetime(container) {
            try Self.call(.rows, store, id)
            try Self.call(.prepare, store, id)
        }

        let save: [StoreOperation] = [.beginSave, .prepare, .commit, .commitAnswer]
        #expect(faults.calls == [.snapshot, .rows] + save)
        #expect(
            seen.withLock { $0 } == [
                [.snapshot, .rows], [.snapshot, .rows, .beginSave, .prepare],
            ])
        #expect(faults.rowCount == 1 && faults.saveNames == [nil])
    }

    @Test(arguments: everyEngine)
    func `make one call of any operation fail, and the next one succeed`(
        _ type: StoreType
    ) async throws {
        let faults = StoreFaults()
        let (container, store, id) = try await Self.store(type, faults)
        for operation in StoreOperation.allCases {
            faults.resetCallCounts()
            faults.fail(operation)

            let error = #expect(throws: StoreError.self, "\(operation)") {
                try Self.call(operation, store, id)
            }
            if operation != .externalData, operation != .open || type != .lmdb {
                #expect(throws: Never.self, "\(operation)") {
                    try Self.call(operation, store, id)
                }
            }

            switch error {
            case .engineFailure(let failure)?, .commitOutcomeUnknown(let failure)?:
                #expect(failure.operation == operation.rawValue)
                #expect(failure.type == type)
            default: Issue.record("\(operation): \(error as Any)")
            }
            #expect(faults.callCount(of: operation) >= 1, "\(operation)")
        }
        withExtendedLifetime(container) {}
    }

    @Test(arguments: everyEngine)
    func `in closing a store still close it`(_ type: StoreType) async throws {
        let faults = StoreFaults()
        let (container, store, _) = try await Self.store(type, faults)
        faults.fail(.close)

        #expect(throws: StoreError.self) { try store.close() }
        let error = #expect(throws: StoreError.self) { try store.snapshot() }

        guard case .closed? = error else {
            Issue.record("\(error as Any)")
            return
        }
        withExtendedLifetime(container) {}
    }

    @Test func `choose calls by their numbers, and the last rule decides`() async throws {
        let faults = StoreFaults()
        let (container, store, _) = try await Self.store(.inMemory, faults)
        func fails() -> Bool {
            do {
                _ = try store.metadata()
                return false
            } catch {
                return true
            }
        }

        faults.fail(.metadata, calls: 2...3)
        let some = (1...5).map { _ in fails() }
        faults.fail(.metadata, calls: 2...)
        let all = (1...4).map { _ in fails() }
        faults.stopFailing(.snapshot)
        let still = fails()
        faults.stopFailing(.metadata)
        let none = fails()

        #expect(some == [false, true, true, false, false])
        #expect(all == [false, true, true, true])
        #expect(still && !none)
        faults.fail(.metadata, calls: 1...) { .closed($0) }
        faults.fail(.metadata, with: .cancelled)
        let errors = (1...2).map { _ in #expect(throws: StoreError.self) { try store.metadata() } }
        guard case .cancelled? = errors[0], case .closed(store.request.location)? = errors[1] else {
            Issue.record("\(errors)")
            return
        }
        withExtendedLifetime(container) {}
    }

    @Test func `count calls, and restart from 0 when asked to`() async throws {
        let faults = StoreFaults()
        let container = try await PersistentContainer.poetry(faults: faults)

        faults.resetCallCounts()
        try await container.save(poet: "Keats")

        #expect(faults.callCount(of: .commit) == 1)
        #expect(faults.callCounts[.commit] == 1)
        #expect(faults.callCounts[.open] == nil)
        faults.resetCallCounts()
        #expect(faults.callCounts == [:])
    }

    @Test(arguments: everyEngine)
    func `of one container do not affect another`(_ type: StoreType) async throws {
        let faults = StoreFaults()
        let faulty = try await PersistentContainer.poetry(type, faults: faults)
        let other = try await PersistentContainer.poetry(type, faults: StoreFaults())
        for operation in StoreOperation.allCases { faults.fail(operation, calls: 1...) }

        try await other.save(poet: "Keats")

        #expect(try await other.poets() == ["Keats"])
        await #expect(throws: GraphError.self) { try await faulty.save(poet: "Keats") }
        await #expect(throws: GraphError.self) { try await faulty.poets() }
    }

    @Test(arguments: everyEngine)
    func `can prevent a store from being opened`(_ type: StoreType) async throws {
        let faults = StoreFaults()
        faults.fail(.open) { .busy($0, waited: .seconds(5)) }

        let error = await #expect(throws: GraphError.self) {
            try await PersistentContainer.poetry(type, faults: faults)
        }

        guard case .store(.busy(_, waited: .seconds(5)))? = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(try await PersistentContainer.poetry(type, faults: faults).poets() == [])
    }

    @Test func `that no longer exist are not mistaken for others`() async throws {
        let options = StoreFaults().options
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel(for: Poet.self, Poem.self),
            registry: .builtIn.injectingFaults())

        let error = #expect(throws: GraphError.self) {
            try coordinator.addPersistentStore(ofType: .inMemory, options: options)
        }

        #expect("\(error as Any)".contains("Keep a reference to it while stores are opened"))
    }

    // MARK: Saves

    @Test(
        arguments: everyEngine, [StoreOperation.beginSave, .prepare, .commit])
    func `before the end of a commit prevent the save, and the context keeps its changes`(
        _ type: StoreType, _ operation: StoreOperation
    ) async throws {
        let faults = StoreFaults()
        let container = try await PersistentContainer.poetry(type, faults: faults)
        let context = container.newBackgroundContext()
        faults.fail(operation) { .spaceMissing($0, needed: nil, available: 0) }

        let error = await #expect(throws: GraphError.self) {
            try await context.perform { context in
                try Poet(context: context).name = "Keats"
                try context.save()
            }
        }
        let (before, hasChanges) = (
            try await container.poets(), try await context.perform { $0.hasChanges }
        )
        try await context.perform { try $0.save() }

        guard case .store(.spaceMissing)? = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(before == [] && hasChanges)
        #expect(try await container.poets() == ["Keats"])
    }

    @Test(arguments: everyFileEngine)
    func `in the answer to a named commit are resolved by querying the store`(
        _ type: StoreType
    ) async throws {
        let faults = StoreFaults()
        let container = try await PersistentContainer.poetry(type, faults: faults)
        let context = container.newBackgroundContext()
        faults.resetCallCounts()
        faults.fail(.commitAnswer)

        try await context.perform { context in
            try Poet(context: context).name = "Keats"
            try context.save(named: SaveID())
        }

        #expect(faults.callCount(of: .outcome) == 1)
        #expect(try await context.perform { $0.hasChanges } == false)
        #expect(try await container.poets() == ["Keats"])
    }

    @Test(arguments: everyEngine, [nil, SaveID()])
    func `in the answer and in the query leave the outcome unknown`(
        _ type: StoreType, _ id: SaveID?
    ) async throws {
        let faults = StoreFaults()
        let container = try await PersistentContainer.poetry(type, faults: faults)
        faults.resetCallCounts()
        faults.fail(.commitAnswer)
        faults.fail(.outcome, calls: 1...)

        let error = await #expect(throws: GraphError.self) {
            try await container.perform { context in
                try Poet(context: context).name = "Keats"
                try context.save(named: id)
            }
        }
        // Stores that exist only in this process do not need names for saves.
        #expect((faults.callCount(of: .outcome) > 0) == (id != nil && type != .inMemory))

        guard case .saveOutcomeUnknown? = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(try await container.poets() == ["Keats"])
    }

    // MARK: Reads

    @Test(arguments: everyEngine, [StoreOperation.fetch, .nextBatch])
    func `make a fetch throw their error`(
        _ type: StoreType, _ operation: StoreOperation
    ) async throws {
        let faults = StoreFaults()
        let container = try await PersistentContainer.poetry(type, faults: faults)
        try await container.save(poet: "Keats")
        faults.fail(operation, calls: 1...) { .corrupt($0, location: "page 3", detail: "torn") }

        let error = await #expect(throws: GraphError.self) { try await container.poets() }
        faults.stopFailing()

        guard case .store(.corrupt(_, location: "page 3", detail: "torn"))? = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(try await container.poets() == ["Keats"])
    }
}

@Suite struct `A wrapped engine` {
    @Test(arguments: ConformanceRule.all)
    func `keeps the store contract in memory`(_ rule: ConformanceRule) throws {
        let faults = StoreFaults()

        try rule.run(
            on: EngineHarness(
                FaultInjectingStore<InMemoryStore>.self, options: faults.options))
    }

    @Test(arguments: everyFileEngine)
    func `describes its files as its base does`(_ type: StoreType) async throws {
        let container = try await PersistentContainer.poetry(type)
        try await container.save(poet: "Keats")
        let store = container.persistentStoreCoordinator.persistentStores[0]
        let location = store.request.location
        let wrapped = try StoreRegistry.builtIn.injectingFaults()
            .fileEngine(ofType: type, for: location)
        let base = try StoreRegistry.builtIn.fileEngine(ofType: type, for: location)

        #expect(try wrapped.metadata(at: location) == base.metadata(at: location))
        #expect(try wrapped.model(at: location) == base.model(at: location))
        #expect(wrapped.recognizes(location) && base.recognizes(location))
        #expect(wrapped.companionFiles(of: location) == base.companionFiles(of: location))
        #expect(wrapped.fileDescription == base.fileDescription)
    }

    @Test func `has the same abilities as its base`() throws {
        let registry = StoreRegistry.builtIn.injectingFaults()

        for type in everyEngine {
            let (wrapped, base) = (
                try registry.engine(ofType: type), try StoreRegistry.builtIn.engine(ofType: type)
            )
            #expect(wrapped is any FileStore.Type == base is any FileStore.Type)
            #expect(wrapped is any SelfCheckingStore.Type == base is any SelfCheckingStore.Type)
            #expect(
                wrapped is any InPlaceMigratingStore.Type == base is any InPlaceMigratingStore.Type)
            #expect(wrapped.capabilities.isDurable == base.capabilities.isDurable)
        }
    }
}
