import CairnTesting
import Foundation
import GraphSupport
import Testing

@Suite struct `A held call` {
    @Test(arguments: everyEngine)
    func `waits in the middle of a save, while others read the previous state`(
        _ type: StoreType
    ) async throws {
        let faults = StoreFaults()
        let container = try await PersistentContainer.poetry(type, faults: faults)
        try await container.save(poet: "Blake")
        let held = faults.hold(.commit)

        async let saving: Void = container.save(poet: "Keats")
        try await held.reached()
        let during = try await container.poets()
        held.release()
        try await saving

        #expect(during == ["Blake"])
        #expect(try await container.poets() == ["Blake", "Keats"])
    }

    @Test(arguments: everyEngine)
    func `of an answer has already saved`(_ type: StoreType) async throws {
        let faults = StoreFaults()
        let container = try await PersistentContainer.poetry(type, faults: faults)
        let held = faults.hold(.commitAnswer)

        async let saving: Void = container.save(poet: "Keats")
        try await held.reached()
        let during = try await container.poets()
        held.release()
        try await saving

        #expect(during == ["Keats"])
    }

    @Test func `fails if it is released with an error`() async throws {
        let faults = StoreFaults()
        let container = try await PersistentContainer.poetry(faults: faults)
        let held = faults.hold(.commit)

        let saving = Task { try await container.save(poet: "Keats") }
        try await held.reached()
        held.release(throwing: .cancelled)
        held.release()

        await #expect(throws: GraphError.self) { try await saving.value }
        #expect(try await container.poets() == [])
    }

    @Test func `is only the call with the given number`() async throws {
        let faults = StoreFaults()
        let container = try await PersistentContainer.poetry(faults: faults)
        let held = faults.hold(.commit, call: 2)

        try await container.save(poet: "Blake")
        let wasReached = held.isReached
        async let saving: Void = container.save(poet: "Keats")
        try await held.reached()
        held.release()
        try await saving
        try await container.save(poet: "Shelley")

        #expect(!wasReached)
        #expect(try await container.poets() == ["Blake", "Keats", "Shelley"])
    }

    @Test func `that was released before is not held`() async throws {
        let faults = StoreFaults()
        let container = try await PersistentContainer.poetry(faults: faults)
        let held = faults.hold(.commit)

        held.release()
        try await container.save(poet: "Keats")

        #expect(held.isReached)
    }

    @Test func `continues if the test releases its reference`() async throws {
        let faults = StoreFaults()
        let container = try await PersistentContainer.poetry(faults: faults)
        var held: HeldCall? = faults.hold(.commit)

        async let saving: Void = container.save(poet: "Keats")
        try await held?.reached()
        held = nil
        try await saving

        #expect(try await container.poets() == ["Keats"])
    }

    @Test func `fails after its time limit`() async throws {
        let faults = StoreFaults()
        let container = try await PersistentContainer.poetry(faults: faults)
        let held = faults.hold(.prepare, for: .milliseconds(30))

        let error = await #expect(throws: GraphError.self) {
            try await container.save(poet: "Keats")
        }

        #expect("\(error as Any)".contains("the test held the call"))
        #expect(held.isReached)
        #expect(try await container.poets() == [])
    }

    @Test func `ends with its task if the operation is cancellable`() async throws {
        let faults = StoreFaults()
        let container = try await PersistentContainer.poetry(faults: faults)
        let held = faults.hold(.beginSave)

        let saving = Task { try await container.save(poet: "Keats") }
        try await held.reached()
        saving.cancel()

        let error = await #expect(throws: GraphError.self) { try await saving.value }
        guard case .saveCancelled? = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(try await container.poets() == [])
    }

    @Test func `of a commit continues even if its task is cancelled`() async throws {
        let faults = StoreFaults()
        let container = try await PersistentContainer.poetry(faults: faults)
        let held = faults.hold(.commit)

        let saving = Task { try await container.save(poet: "Keats") }
        try await held.reached()
        saving.cancel()
        held.release()
        try await saving.value

        #expect(try await container.poets() == ["Keats"])
    }

    @Test func `that is never made is reported`() async throws {
        let held = StoreFaults().hold(.commit)

        let error = await #expect(throws: HeldCall.NotReached.self) {
            try await held.reached(within: .milliseconds(5))
        }

        #expect(error?.description == "The operation “commit” was not called in time.")
    }

    @Test func `leaves its thread's work to another thread`() async throws {
        // More calls than the processor has threads.
        let count = 4 * ProcessInfo.processInfo.activeProcessorCount
        let faults = StoreFaults()
        let container = try await PersistentContainer.poetry(faults: faults)
        try await container.save(poet: "Keats")
        let calls = (1...count).map { faults.hold(.fetch, call: $0) }

        let names = try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in calls { group.addTask { try await container.poets() } }
            for held in calls { try await held.reached() }
            for held in calls { held.release() }
            return try await group.reduce(into: []) { $0 += $1 }
        }

        #expect(names == Array(repeating: "Keats", count: count))
    }
}
