import CairnConformance
import LogStore
import Testing

@Suite struct `Log store` {
    @Test(arguments: ConformanceRule.all)
    func `keeps the store contract`(_ rule: ConformanceRule) throws {
        try rule.run(on: EngineHarness(LogStore.self, worker: .built("log-conform")))
    }
}
