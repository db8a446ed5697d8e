import Testing

@testable import BenchmarkKit

@Suite struct `Summary of measurements` {
    @Test func `the median of an odd count is the middle one, whatever the order`() {
        #expect(Summary([9, 1, 5]).median == 5)
    }

    @Test func `the median of an even count is between the two in the middle`() {
        #expect(Summary([1, 2, 4, 100]).median == 3)
    }

    @Test func `quartiles are interpolated`() {
        let summary = Summary([10, 20, 30, 40])

        #expect(summary.lowerQuartile == 17.5)
        #expect(summary.upperQuartile == 32.5)
    }

    @Test func `one outlier moves neither median nor spread much`() {
        let calm = Summary([10, 10, 10, 11, 11, 11, 11])
        let disturbed = Summary([10, 10, 10, 11, 11, 11, 1000])

        #expect(disturbed.median == calm.median)
        #expect(disturbed.spread == calm.spread)
    }

    @Test func `no measurements are zeros`() {
        #expect(Summary([]).median == 0)
        #expect(Summary([]).spread == 0)
    }
}
