import Testing

@testable import CairnBenchmarks

@Suite struct `Comparison of two reports` {
    @Test func `reports a ratio that certainly grew as slower`() throws {
        let comparison = ReportComparison(
            from: .fixture([100, 101, 102, 99, 100, 101, 100]),
            to: .fixture([150, 151, 152, 149, 150, 151, 150]))

        let change = try #require(comparison.slower.first)
        #expect(change.factor == 1.5)
        #expect(change.isRatio)
        #expect(comparison.faster.isEmpty)
        #expect("\(comparison)".contains("+50 %"))
    }

    @Test func `ignores a change within the noise`() {
        let comparison = ReportComparison(
            from: .fixture([100, 140, 90, 120, 100, 110, 95]),
            to: .fixture([110, 150, 95, 130, 110, 120, 105]))

        #expect(comparison.slower.isEmpty)
        #expect(comparison.unchangedCount == 1)
    }

    @Test func `ignores a certain change below five percent`() {
        let comparison = ReportComparison(
            from: .fixture(Array(repeating: 100, count: 7)),
            to: .fixture(Array(repeating: 104, count: 7)))

        #expect(comparison.slower.isEmpty)
        #expect(comparison.unchangedCount == 1)
    }

    @Test func `compares times if there is no baseline`() throws {
        let comparison = ReportComparison(
            from: .fixture([100, 101, 102], hasBaseline: false),
            to: .fixture([50, 51, 52], hasBaseline: false))

        let change = try #require(comparison.faster.first)
        #expect(!change.isRatio)
        #expect(change.before == 101)
    }

    @Test func `treats another size as another row`() {
        let comparison = ReportComparison(
            from: .fixture([100], size: 10_000), to: .fixture([500], size: 100_000))

        #expect(comparison.slower.isEmpty)
        #expect(comparison.unmatched.count == 2)
    }
}
