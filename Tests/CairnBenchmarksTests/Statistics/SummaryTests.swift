import Testing

@testable import CairnBenchmarks

@Suite struct `Summary of measurements` {
    @Test func `has the middle one of an odd count as the median, whatever the order`() {
        #expect(Summary([9, 1, 5]).median == 5)
    }

    @Test func `has the mean of the two middle ones of an even count as the median`() {
        #expect(Summary([1, 2, 4, 100]).median == 3)
    }

    @Test func `interpolates quartiles`() {
        let summary = Summary([10, 20, 30, 40])

        #expect(summary.lowerQuartile == 17.5)
        #expect(summary.upperQuartile == 32.5)
    }

    @Test func `is hardly changed by one outlier`() {
        let calm = Summary([10, 10, 10, 11, 11, 11, 11])
        let disturbed = Summary([10, 10, 10, 11, 11, 11, 1000])

        #expect(disturbed.median == calm.median)
        #expect(disturbed.spread == calm.spread)
    }

    @Test func `has zeros if there are no measurements`() {
        #expect(Summary([]).median == 0)
        #expect(Summary([]).spread == 0)
    }
}
