import CairnConformance
import FolderStore
import Testing

@Suite struct `Folder store` {
    @Test(arguments: ConformanceRule.all)
    func `keeps the store contract`(_ rule: ConformanceRule) throws {
        try rule.run(on: EngineHarness(FolderStore.self, worker: .built("folder-conform")))
    }
}
