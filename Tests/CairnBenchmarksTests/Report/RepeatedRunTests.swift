import Testing

@testable import BenchmarkKit

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

    @Test func `show their range in the table for a document`() {
        #expect(MarkdownOverview(report).text.contains("**1.30** 1.20–2.00"))
    }

    @Test func `also show the range of a peer`() {
        let report = Report(
            medianOf: [400.0, 200, 300].map {
                Report.fixture([120], peers: ["GRDB": $0], headline: .fetch)
            })

        #expect(MarkdownOverview(report).text.contains("**1.20** 1.20–1.20; GRDB 3.00 2.00–4.00"))
    }
}
