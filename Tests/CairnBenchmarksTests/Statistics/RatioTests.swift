import Testing

@testable import CairnBenchmarks

@Suite struct `Ratio of two contenders` {
    @Test func `is that of the medians`() {
        let ratio = Ratio(of: [2, 4, 6], to: [1, 2, 3])

        #expect(ratio.median == 2)
    }

    @Test func `is not affected by a disturbance of both in a round`() {
        let ratio = Ratio(of: [3, 30, 3, 3, 3, 3], to: [2, 20, 2, 2, 2, 2])

        #expect(ratio.low == 1.5)
        #expect(ratio.high == 1.5)
    }

    @Test(arguments: [(1, 0), (5, 0), (6, 0), (8, 0), (9, 1), (12, 2), (20, 5)])
    func `has an interval that leaves out what the sign test allows`(count: Int, rank: Int) {
        // The values are from Conover, Practical Nonparametric Statistics, table A3: 95 %, two-sided.
        #expect(Ratio.rank(of: count) == rank)
    }

    @Test func `is not infinite for a baseline of zero`() {
        #expect(Ratio(of: [1, 1], to: [0, 0]).median == 0)
    }
}
