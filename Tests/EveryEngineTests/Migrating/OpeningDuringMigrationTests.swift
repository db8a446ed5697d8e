import Cairn
import CairnAtomicStore
import CairnBinary
import CairnStore
import CairnStoreCopying
import CairnTestSupport
import Foundation
import GraphSupport
import MigrationSupport
import Synchronization
import Testing

/// Programs that open a store while another program migrates it.
@Suite struct `Opening a store during a migration` {
    private static let both: StoreOptions = [
        .migratesAutomatically: .boolean(true), .infersMappingModel: .boolean(true),
    ]

    private let folder: TemporaryFolder
    private let model: ManagedObjectModel
    private var url: URL { folder.file("store.db") }
    private var location: StoreLocation { .file(url) }

    init() throws {
        folder = try TemporaryFolder()
        model = try ManagedObjectModel(ChangeCase.library)
    }

    /// Creates the lock file that a migrating process leaves next to the store. The lock itself ends with the
    /// process.
    private func leaveLock() {
        let path = folder.file(".store.db.migrating").path
        _ = FileManager.default.createFile(atPath: path, contents: nil)
    }

    /// Opens a store whose first attempts to open fail.
    ///
    /// - Parameter failures: The errors of the first attempts.
    /// - Returns: The number of attempts, and the error of the last one.
    private func open(
        _ options: StoreOptions, afterFailures failures: [StoreError],
        beforeFailing: @Sendable @escaping () -> Void = {}
    ) throws -> (attempts: Int, error: StoreError?) {
        let registry = StoreRegistry([StumblingStore.self]).withMigrations()
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: model, registry: registry)
        let attempts = StumblingStore.stumble(at: url, failures, beforeFailing)
        do throws(GraphError) {
            let store = try coordinator.addPersistentStore(
                ofType: StumblingStore.type, at: url, options: options)
            try coordinator.remove(store)
            return (attempts(), nil)
        } catch .store(let error) {
            return (attempts(), error)
        }
    }

    private func replaced(_ count: Int) -> [StoreError] {
        Array(repeating: .fileReplaced(location, path: url.path), count: count)
    }

    // MARK: Without migrations of its own

    @Test func `opens the migrated store that replaced the old one`() throws {
        let outcome = try open([:], afterFailures: replaced(3))

        #expect(outcome.error == nil)
        #expect(outcome.attempts == 4)
    }

    @Test func `gives up if the file is replaced again and again`() throws {
        let outcome = try open([:], afterFailures: replaced(10))

        guard case .fileReplaced? = outcome.error else {
            Issue.record("\(outcome)")
            return
        }
        #expect(outcome.attempts == 4)
    }

    @Test func `reports that a migration is using the store`() throws {
        leaveLock()
        for failure: StoreError in [
            .locked(location, holder: "somebody"), .busy(location, waited: .seconds(1)),
            replaced(1)[0],
        ] {
            let outcome = try open([:], afterFailures: [failure])

            guard case .locked(_, let holder)? = outcome.error else {
                Issue.record("\(outcome)")
                return
            }
            #expect(holder == "a program that migrates it to another version of the model")
            #expect(outcome.attempts == 1)
        }
    }

    @Test func `reports who has the store if nobody migrates it`() throws {
        let outcome = try open([:], afterFailures: [.locked(location, holder: "somebody")])

        guard case .locked(_, "somebody")? = outcome.error else {
            Issue.record("\(outcome)")
            return
        }
        #expect(outcome.attempts == 1)
    }

    /// The migration runs in this process, whose locks have the same effect.
    @Test(arguments: everyFileEngine)
    func `reports a migration on each engine`(_ type: StoreType) throws {
        let trial = try MigrationTrial(type, from: model, to: model, in: folder)
        _ = try trial.make()
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        let lock = try MigrationLock(waitingFor: url.resolvedForComparison)
        defer { withExtendedLifetime(lock) {} }

        let error = try trial.engine.withExclusiveUse(of: location) {
            () throws(StoreError) -> GraphError? in
            do throws(GraphError) {
                try coordinator.addPersistentStore(ofType: type, at: url)
                return nil
            } catch {
                return error
            }
        }

        guard case .store(.locked(_, let holder))? = error else {
            Issue.record("opened with \(String(describing: error))")
            return
        }
        #expect(holder.contains("migrates it"))
    }

    // MARK: With migrations of its own

    @Test func `tries once more if the migration has ended meanwhile`() throws {
        let once = try open(Self.both, afterFailures: replaced(1))
        let twice = try open(Self.both, afterFailures: replaced(2))

        #expect(once.error == nil && once.attempts == 2)
        guard case .fileReplaced? = twice.error else {
            Issue.record("\(twice)")
            return
        }
        #expect(twice.attempts == 2)
    }

    @Test func `waits for each migration that begins while it opens the store`() throws {
        let locked = StoreError.locked(location, holder: "somebody")
        let path = folder.file(".store.db.migrating").path

        let outcome = try open(
            Self.both, afterFailures: [locked, .busy(location, waited: .zero), locked],
            beforeFailing: { _ = FileManager.default.createFile(atPath: path, contents: nil) })

        #expect(outcome.error == nil)
        #expect(outcome.attempts == 4)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test(.timeLimit(.minutes(1)))
    func `throws an opening error if the task is cancelled while it waits`() async throws {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        let description = PersistentStoreDescription(type: .sqlite, url: url)
        let lock = try MigrationLock(waitingFor: url.resolvedForComparison)

        let task = Task(executorPreference: coordinator.executor) {
            _ = try coordinator.addPersistentStore(with: description)
        }
        while coordinator.executor.load.waiting == 0 { await Task.yield() }
        task.cancel()
        let error = await #expect(throws: GraphError.self) { try await task.value }
        withExtendedLifetime(lock) {}

        guard case .openingCancelled? = error else {
            Issue.record("not .openingCancelled: \(String(describing: error))")
            return
        }
        #expect(coordinator.persistentStores.isEmpty)
    }
}

/// An engine whose stores can only be opened after several failures.
private final class StumblingStore: AtomicEngine {
    static let type: StoreType = "Stumbling"
    static let capabilities = StoreCapabilities.atomic()
    static let codec: any AtomicCodec = BinaryStore.codec

    private struct Plan {
        var failures: [StoreError]
        var attempts = 0
        let beforeFailing: @Sendable () -> Void
    }

    /// The planned failures, by path.
    private static let plans = Mutex<[String: Plan]>([:])

    let atomicStore: AtomicStore

    init(_ atomicStore: AtomicStore) { self.atomicStore = atomicStore }

    /// Makes the next attempts fail, and returns a function that counts the attempts.
    static func stumble(
        at url: URL, _ failures: [StoreError], _ beforeFailing: @Sendable @escaping () -> Void
    ) -> () -> Int {
        plans.withLock { $0[url.path] = Plan(failures: failures, beforeFailing: beforeFailing) }
        return { plans.withLock { $0[url.path]?.attempts ?? 0 } }
    }

    static func open(_ request: OpenRequest) throws(StoreError) -> StumblingStore {
        let path = request.location.fileURL?.path ?? ""
        let failing = plans.withLock { plans -> (StoreError, @Sendable () -> Void)? in
            guard var plan = plans[path] else { return nil }
            plan.attempts += 1
            let failure = plan.failures.isEmpty ? nil : plan.failures.removeFirst()
            plans[path] = plan
            return failure.map { ($0, plan.beforeFailing) }
        }
        if let (failure, prepare) = failing {
            prepare()
            throw failure
        }
        return StumblingStore(try AtomicStore.open(request, of: Self.self))
    }
}
