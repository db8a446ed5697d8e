import BrokenEngineSupport
import CairnBinary
import CairnConformance
import CairnLMDB
import CairnMemory
import CairnSQLite
import CairnStore
import CairnXML
import FolderStore
import LogStore
import Testing

/// Returns the harness of an engine, with the tests' worker executable.
private func harness(_ engine: any PersistentStore.Type) -> EngineHarness {
    EngineHarness(
        engine, worker: .built("TestWorker", arguments: ["conform", engine.type.rawValue]),
        // The LMDB library trusts the pages that it maps.
        damageMayEndProcess: engine is LMDBStore.Type)
}

/// Runs a rule and requires that it applies to the engine.
private func prove(_ rule: ConformanceRule, on engine: any PersistentStore.Type) throws {
    let outcome = try rule.run(on: harness(engine))
    if case .notApplicable(let reason) = outcome { Issue.record("not applicable: \(reason)") }
}

@Suite struct `In-memory store and the kit` {
    /// The rules about histories that several handles or a later opening see.
    private static let notApplicable: Set = [
        "the history goes on when the store is opened again, with or without the option",
        "a handle that was opened before the history began adds its saves",
        "a handle shows the transactions of other handles",
        "a copy of the store's state has its history",
    ]

    @Test(arguments: ConformanceRule.all)
    func `keeps the store contract`(_ rule: ConformanceRule) throws {
        let outcome = try rule.run(on: harness(InMemoryStore.self))

        var isNotApplicable = false
        if case .notApplicable = outcome { isNotApplicable = true }
        #expect(isNotApplicable == Self.notApplicable.contains(rule.words))
    }
}

@Suite struct `SQLite store and the kit` {
    @Test(arguments: ConformanceRule.all)
    func `keeps the store contract`(_ rule: ConformanceRule) throws {
        try prove(rule, on: SQLiteStore.self)
    }
}

@Suite struct `LMDB store and the kit` {
    @Test(arguments: ConformanceRule.all)
    func `keeps the store contract`(_ rule: ConformanceRule) throws {
        try prove(rule, on: LMDBStore.self)
    }
}

@Suite struct `Binary store and the kit` {
    @Test(arguments: ConformanceRule.all)
    func `keeps the store contract`(_ rule: ConformanceRule) throws {
        try prove(rule, on: BinaryStore.self)
    }
}

@Suite struct `XML store and the kit` {
    @Test(arguments: ConformanceRule.all)
    func `keeps the store contract`(_ rule: ConformanceRule) throws {
        try prove(rule, on: XMLStore.self)
    }
}

@Suite struct `Engine that saves in parallel and the kit` {
    @Test(arguments: ConformanceRule.all)
    func `keeps the store contract`(_ rule: ConformanceRule) throws {
        // Rules about waiting do not apply to this engine.
        try rule.run(on: EngineHarness(OptimisticStore<RefusesOvertaken>.self))
    }
}

@Suite struct `Engine that cannot be read during a save and the kit` {
    @Test(arguments: ConformanceRule.all.filter { $0.need == .readsDuringSave })
    func `keeps the other promises`(_ rule: ConformanceRule) throws {
        let outcome = try rule.run(on: EngineHarness(OptimisticStore<KeepsReadersOut>.self))

        #expect(outcome == .alternativeKept)
    }
}

@Suite struct `Engine outside of Cairn and the kit` {
    @Test(arguments: ConformanceRule.all)
    func `keeps the store contract`(_ rule: ConformanceRule) throws {
        try prove(rule, on: FolderStore.self)
    }
}

@Suite struct `Incremental engine outside of Cairn and the kit` {
    @Test(arguments: ConformanceRule.all)
    func `keeps the store contract`(_ rule: ConformanceRule) throws {
        try prove(rule, on: LogStore.self)
    }
}
