import Cairn
import CairnTestSupport
import Foundation
import StartUpScenarios
import Testing

/// Every way to start, and what becomes of each where something is missing.
@Suite struct `Starting up` {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        PersistentStoreCoordinator.registerStoreClass(SlowStore.self)
    }

    private var notes: FetchRequest<ManagedObject> { FetchRequest("Note") }

    // MARK: 1

    @Test @MainActor func `a controller calls back once its store is open`() async throws {
        let (loaded, done) = AsyncStream<GraphError?>.makeStream()

        let controller = try DataController(modelName: "Notebook", directory: folder.url) {
            done.yield($0)
            done.finish()
        }
        let failures = await Array(loaded)
        try await controller.inBackground { context in
            try context.insertNewObject(forEntityName: "Note").setValue("Bread", forKey: "text")
            try context.save()
        }

        #expect(failures.count == 1)
        #expect(failures.allSatisfy { $0 == nil })
        #expect(try controller.viewContext.count(for: notes) == 1)
        #expect(
            FileManager.default.fileExists(
                atPath: folder.url.appending(path: "Notebook.sqlite").path))
    }

    @Test func `a controller throws where its model is missing, and says where it looked`() throws {
        #expect {
            try DataController(modelName: "Missing", directory: folder.url) { _ in }
        } throws: { error in
            guard case GraphError.model(.notFound("Missing", let searched)) = error else {
                return false
            }
            return !searched.isEmpty
        }
    }

    @Test func `a controller hands on why its store is not open`() async throws {
        let file = folder.url.appending(path: "Notebook.sqlite")
        try Data("this is a shopping list, not a database".utf8).write(to: file)
        let (loaded, done) = AsyncStream<GraphError?>.makeStream()

        _ = try DataController(modelName: "Notebook", directory: folder.url) {
            done.yield($0)
            done.finish()
        }
        let failures = await Array(loaded)

        #expect(failures.count == 1)
        guard case .store(.notAStore)?? = failures.first else {
            Issue.record("not said to be no store: \(failures)")
            return
        }
        #expect(try Data(contentsOf: file).count == 39)
    }

    // MARK: 2

    @Test @MainActor func `a stack by hand calls back on the main queue`() async throws {
        let (loaded, done) = AsyncStream<(GraphError?, Bool)>.makeStream()

        let stack = try HandMadeStack(
            modelURL: Models.notebook, storeURL: folder.url.appending(path: "Hand.sqlite")
        ) { failure in
            dispatchPrecondition(condition: .onQueue(.main))
            done.yield((failure, true))
            done.finish()
        }
        let calls = await Array(loaded)

        #expect(calls.map(\.1) == [true])
        #expect(calls.allSatisfy { $0.0 == nil })
        #expect(try stack.context.count(for: notes) == 0)
    }

    @Test @MainActor func `a context by hand answers with an error until its store is there`()
        async throws
    {
        let (loaded, done) = AsyncStream<GraphError?>.makeStream()
        let stack = try HandMadeStack(
            modelURL: Models.notebook, storeURL: folder.url.appending(path: "none/Hand.sqlite")
        ) {
            done.yield($0)
            done.finish()
        }

        // The callback needs the main queue, which this test has until it awaits.
        #expect {
            try stack.context.count(for: notes)
        } throws: { error in
            if case GraphError.noStore(entity: "Note") = error { true } else { false }
        }
        let failures = await Array(loaded)

        #expect(failures.count == 1)
        guard case .store?? = failures.first else {
            Issue.record("the folder is missing, yet: \(failures)")
            return
        }
    }

    @Test @MainActor func `a stack by hand throws where the model is no model`() throws {
        let file = folder.url.appending(path: "Broken.mom")
        try Data("nothing of a model".utf8).write(to: file)

        #expect {
            try HandMadeStack(
                modelURL: file, storeURL: folder.url.appending(path: "Hand.sqlite")
            ) { _ in }
        } throws: { error in
            if case GraphError.model(.unreadable) = error { true } else { false }
        }
    }

    // MARK: 3

    @Test @MainActor func `a manager makes its context when it is asked for`() throws {
        let manager = StackManager(modelName: "Notebook", folder: folder.url)
        let store = folder.url.appending(path: "Notebook.sqlite")
        let isThereBefore = FileManager.default.fileExists(atPath: store.path)

        let context = try manager.context
        try context.insertNewObject(forEntityName: "Note").setValue("Bread", forKey: "text")
        try context.save()

        #expect(!isThereBefore)
        #expect(FileManager.default.fileExists(atPath: store.path))
        #expect(try manager.context === context)
        let again = StackManager(modelName: "Notebook", folder: folder.url)
        #expect(try again.context.count(for: notes) == 1)
    }

    @Test @MainActor func `a manager throws what can be shown where its model is missing`() {
        let manager = StackManager(modelName: "Missing", folder: folder.url)

        do throws(GraphError) {
            _ = try manager.context
            Issue.record("a context without a model")
        } catch {
            #expect("\(error)".contains("No model “Missing” was found"))
        }
    }

    @Test @MainActor func `a manager whose model changed names the entity and both versions`()
        throws
    {
        let changed = try ManagedObjectModel([
            EntityDescription("Note", [.attribute("body", .string)])
        ])
        try PersistentStoreCoordinator(managedObjectModel: changed).addPersistentStore(
            ofType: .sqlite, at: folder.url.appending(path: "Notebook.sqlite"))
        let manager = StackManager(modelName: "Notebook", folder: folder.url)

        #expect {
            try manager.context
        } throws: { error in
            guard case GraphError.store(.modelMismatch(_, let differences)) = error else {
                return false
            }
            let note = differences.first { $0.entity == "Note" }
            return note?.stored != nil && note?.model != nil
        }
    }

    // MARK: 4

    @MainActor private func slowStart(_ gate: SlowStore.Gate) throws -> TwoPhaseStart {
        let container = try PersistentContainer(
            name: "Notebook", bundles: [], folders: [Models.folder], directory: folder.url)
        container.persistentStoreDescriptions = [gate.description]
        return TwoPhaseStart(container: container)
    }

    @Test @MainActor func `a program answers while its store is opened`() async throws {
        let gate = SlowStore.Gate()
        let start = try slowStart(gate)
        let loading = Task { await start.loadStores() }
        await Task.yield()

        let during = start.answer()
        gate.open()
        await loading.value
        let after = start.answer()

        #expect(during == "Your notes are being opened.")
        #expect(after == "You have 0 notes.")
    }

    @Test @MainActor func `a store that fails is shown, and may be tried again`() async throws {
        let gate = SlowStore.Gate()
        let start = try slowStart(gate)
        let loading = Task { await start.loadStores() }

        gate.open(failingWith: .busy(.memory("notes"), waited: .seconds(5)))
        await loading.value
        let failed = start.answer()
        gate.open()
        await start.loadStores()

        #expect(failed.hasPrefix("Your notes cannot be opened. The store memory “notes” was busy"))
        #expect(start.phase == .ready)
        #expect(start.answer() == "You have 0 notes.")
    }
}

extension Array {
    fileprivate init<Stream: AsyncSequence>(_ stream: Stream) async
    where Stream.Element == Element, Stream.Failure == Never {
        self = []
        for await element in stream { append(element) }
    }
}
