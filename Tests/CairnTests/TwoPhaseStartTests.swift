import Cairn
import CairnTestSupport
import Foundation
import StartUpScenarios
import Testing

/// A start in two phases: the program responds while its stores are being opened.
extension `Starting up` {
    @MainActor private func slowStart(_ gates: [SlowStore.Gate]) throws -> TwoPhaseStart {
        let container = try PersistentContainer(
            name: "Notebook", bundles: [], folders: [Models.folder], directory: folder.url)
        container.persistentStoreDescriptions = gates.map(\.description)
        return TwoPhaseStart(container: container)
    }

    /// Begins to load, and returns a stream that ends after every store was tried.
    @MainActor private func load(_ start: TwoPhaseStart) -> AsyncStream<Void> {
        let (loaded, done) = AsyncStream<Void>.makeStream()
        start.loadStores { done.finish() }
        return loaded
    }

    @Test @MainActor func `a program responds while its stores are opened`() async throws {
        let gates = [SlowStore.Gate(), SlowStore.Gate()]
        let start = try slowStart(gates)

        let loaded = load(start)
        let during = start.answer()
        gates.forEach { $0.open() }
        for await _ in loaded {}
        let after = start.answer()

        #expect(during == "Your notes are being opened (0 of 2).")
        #expect(after == "You have 0 notes.")
        #expect(start.progress.isFinished)
    }

    @Test @MainActor func `a failed store is shown, and opening it can be retried`() async throws {
        let gate = SlowStore.Gate()
        let start = try slowStart([gate])

        let first = load(start)
        gate.open(failingWith: .busy(.memory("notes"), waited: .seconds(5)))
        for await _ in first {}
        let failed = start.answer()
        let second = load(start)
        gate.open()
        for await _ in second {}

        #expect(failed.hasPrefix("Your notes cannot be opened. The store memory “notes” was busy"))
        #expect(start.phase == .ready)
        #expect(start.answer() == "You have 0 notes.")
    }

    @Test(arguments: types) @MainActor
    func `stores of each engine are opened in the second phase`(_ type: String) async throws {
        let container = try PersistentContainer(
            name: "Notebook", bundles: [], folders: [Models.folder], directory: folder.url)
        container.persistentStoreDescriptions.first?.type = type
        let start = TwoPhaseStart(container: container)

        for await _ in load(start) {}

        #expect(start.answer() == "You have 0 notes.")
        #expect(container.persistentStoreCoordinator.persistentStores.count == 1)
    }
}
