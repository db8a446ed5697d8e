import CairnBinary
import CairnConformance
import CairnLMDB
import CairnMemory
import CairnSQLite
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
    /// Keys of a save that was rolled back are in no file, and are given again by the next handle.
    private static let broken = [
        "reopening: a key is never given twice, whatever happened before the store was opened again"
    ]

    @Test(arguments: ConformanceRule.all)
    func `keeps the store contract`(_ rule: ConformanceRule) throws {
        if Self.broken.contains(rule.description) {
            withKnownIssue { try rule.run(on: EngineHarness(BinaryStore.self)) }
        } else {
            try rule.run(on: EngineHarness(BinaryStore.self))
        }
    }
}

@Suite struct `Engine outside of Cairn and the kit` {
    @Test(arguments: ConformanceRule.all)
    func `keeps the store contract`(_ rule: ConformanceRule) throws {
        try rule.run(on: EngineHarness(FolderStore.self))
    }
}
