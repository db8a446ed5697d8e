import CairnBinary
import CairnConformance
import CairnLMDB
import CairnMemory
import CairnSQLite
import CairnStore
import CairnXML
import FolderStore
import Testing

/// The harness of an engine, with the tests' worker.
private func harness(_ engine: any PersistentStore.Type) -> EngineHarness {
    EngineHarness(
        engine, worker: .built("ConformanceTestWorker", arguments: [engine.type.rawValue]),
        // LMDB's library trusts the pages that it maps.
        damageMayEndProcess: engine is LMDBStore.Type)
}

@Suite struct `In-memory store and the kit` {
    @Test(arguments: ConformanceRule.all)
    func `keeps the store contract`(_ rule: ConformanceRule) throws {
        try rule.run(on: harness(InMemoryStore.self))
    }
}

@Suite struct `SQLite store and the kit` {
    @Test(arguments: ConformanceRule.all)
    func `keeps the store contract`(_ rule: ConformanceRule) throws {
        try rule.run(on: harness(SQLiteStore.self))
    }
}

@Suite struct `LMDB store and the kit` {
    @Test(arguments: ConformanceRule.all)
    func `keeps the store contract`(_ rule: ConformanceRule) throws {
        try rule.run(on: harness(LMDBStore.self))
    }
}

@Suite struct `Binary store and the kit` {
    @Test(arguments: ConformanceRule.all)
    func `keeps the store contract`(_ rule: ConformanceRule) throws {
        try rule.run(on: harness(BinaryStore.self))
    }
}

@Suite struct `XML store and the kit` {
    @Test(arguments: ConformanceRule.all)
    func `keeps the store contract`(_ rule: ConformanceRule) throws {
        try rule.run(on: harness(XMLStore.self))
    }
}

@Suite struct `Engine outside of Cairn and the kit` {
    @Test(arguments: ConformanceRule.all)
    func `keeps the store contract`(_ rule: ConformanceRule) throws {
        try rule.run(on: harness(FolderStore.self))
    }
}
