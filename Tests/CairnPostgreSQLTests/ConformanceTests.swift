import CairnConformance
import PostgreSQLStoreSupport
import Testing

@Suite(.enabled(if: PostgreSQLHarness.database != nil, "CAIRN_POSTGRESQL names no database"))
struct `PostgreSQL store` {
    @Test(arguments: ConformanceRule.all)
    func `keeps the store contract`(_ rule: ConformanceRule) throws {
        try rule.run(on: PostgreSQLHarness(worker: .built("PostgreSQLConform")))
    }
}
