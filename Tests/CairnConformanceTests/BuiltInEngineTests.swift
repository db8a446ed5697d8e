import CairnBinary
import CairnConformance
import CairnLMDB
import CairnMemory
import CairnSQLite
import CairnXML
import FolderStore
import Testing

@Suite struct `In-memory store and the kit` {
    @Test(arguments: ConformanceRule.all)
    func `keeps the store contract`(_ rule: ConformanceRule) throws {
        try rule.run(on: EngineHarness(InMemoryStore.self))
    }
}

@Suite struct `SQLite store and the kit` {
    @Test(arguments: ConformanceRule.all)
    func `keeps the store contract`(_ rule: ConformanceRule) throws {
        try rule.run(on: EngineHarness(SQLiteStore.self))
    }
}

@Suite struct `LMDB store and the kit` {
    @Test(arguments: ConformanceRule.all)
    func `keeps the store contract`(_ rule: ConformanceRule) throws {
        try rule.run(on: EngineHarness(LMDBStore.self))
    }
}

@Suite struct `Binary store and the kit` {
    @Test(arguments: ConformanceRule.all)
    func `keeps the store contract`(_ rule: ConformanceRule) throws {
        try rule.run(on: EngineHarness(BinaryStore.self))
    }
}

@Suite struct `XML store and the kit` {
    @Test(arguments: ConformanceRule.all)
    func `keeps the store contract`(_ rule: ConformanceRule) throws {
        try rule.run(on: EngineHarness(XMLStore.self))
    }
}

@Suite struct `Engine outside of Cairn and the kit` {
    @Test(arguments: ConformanceRule.all)
    func `keeps the store contract`(_ rule: ConformanceRule) throws {
        try rule.run(on: EngineHarness(FolderStore.self))
    }
}
