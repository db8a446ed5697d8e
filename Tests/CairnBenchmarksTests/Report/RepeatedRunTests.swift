import Testing

@testable import CairnBenchmarks

@Suite struct `Several runs` {
    private let report = Report(
        medianOf: [[120], [200], [130]].map { Report.fixture($0, headline: .fetch) })

    @Test func `produce the median of their ratios, with the least and the greatest`() throws {
        let ratio = try #require(report.rows[0].contenders.last?.ratio)

        #expect(ratio.median == 1.3)
        #expect(ratio.low == 1.2)
        #expect(ratio.high == 2)
        #expect(report.runs == 3)
    }

    @Test func `are judged by the median`() {
        #expect(report.rows[0].contenders.last?.isGoalMet == true)
    }
}
