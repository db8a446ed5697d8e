import CairnConformance
import CairnStore
import Foundation
import ServedStoreSupport
import Synchronization
import Testing

@Suite struct `Store of a service and the kit` {
    /// Rules of other topics that require files, or self-checks, which the engine lacks.
    private static let notApplicable: Set<String> = [
        "metadata and the model can be read without opening the store",
        "metadata can be read while another process has the store open",
        "a store cannot be moved while another process has it open, nor opened during a move",
        "moving a store removes the files that the save of a killed process left",
        "a store's byte count is the size of its file and its existing companion files",
        "a store without damage finds no disagreements with its rows",
        "the outcomes of a killed process's named saves agree with what is stored",
        "the names of a group's requests are recorded, except those of refused requests",
        "each request of a group adds a transaction of its own to the history",
        "the parts of a save add one transaction to the history",
    ]
    /// Topics of features that the engine lacks: files, a history, named saves and parallel saves.
    private static let otherTopics: Set<String> = [
        "files", "copies", "history", "damage", "named saves", "parallel saves",
    ]

    @Test(arguments: ConformanceRule.all)
    func `keeps the whole contract except for features that it does not have`(
        _ rule: ConformanceRule
    ) throws {
        let outcome = try rule.run(on: ServedHarness())

        let isOfOthers = Self.otherTopics.contains(rule.topic)
        switch outcome {
        case .kept: #expect(!isOfOthers)
        case .alternativeKept: #expect(isOfOthers)
        case .notApplicable: #expect(Self.notApplicable.contains(rule.words))
        }
    }
}

/// A harness that records calls of its hooks and can fail in one of them.
private struct NotingHarness: StoreHarness {
    enum Hook { case setUp, tearDown }
    struct Refusal: Error {}

    let notes = Notes()
    var failing: Hook?
    var engine: any PersistentStore.Type { PlainStore.self }
    var worker: WorkerExecutable? { nil }

    final class Notes: Sendable {
        let all = Mutex<[String]>([])
        func add(_ note: String) { all.withLock { $0.append(note) } }
    }

    func location(_ name: String, in folder: URL) -> StoreLocation {
        .memory("\(folder.lastPathComponent)/\(name)")
    }
    func open(_ request: OpenRequest) throws(StoreError) -> any PersistentStore {
        notes.add("open")
        return try engine.open(request)
    }
    func setUp(for folder: URL) throws {
        notes.add("set up \(FileManager.default.fileExists(atPath: folder.path))")
        if failing == .setUp { throw Refusal() }
    }
    func tearDown(for folder: URL) throws {
        notes.add("tear down \(FileManager.default.fileExists(atPath: folder.path))")
        if failing == .tearDown { throw Refusal() }
    }
}

@Suite struct `Hooks of a harness` {
    @Test func `run before the first store and after the last`() throws {
        let harness = NotingHarness()
        let rule = ConformanceRule("notes") { _ in harness.notes.add("body") }

        try rule.run(on: harness)

        #expect(
            harness.notes.all.withLock { $0 } == [
                "set up true", "open", "body", "tear down true",
            ])
    }

    @Test func `also run after a broken rule`() throws {
        let harness = NotingHarness()
        let rule = ConformanceRule("is broken") { _ in try require(false, "this holds") }

        #expect(throws: RuleViolation.self) { try rule.run(on: harness) }

        #expect(harness.notes.all.withLock { $0 }.last == "tear down true")
    }

    @Test func `break the rule if they fail`() throws {
        let rule = ConformanceRule("is kept") { _ in }

        for hook in [NotingHarness.Hook.setUp, .tearDown] {
            let violation = #expect(throws: RuleViolation.self) {
                try rule.run(on: NotingHarness(failing: hook))
            }
            #expect(violation?.detail.contains("Refusal") == true)
        }
    }
}
