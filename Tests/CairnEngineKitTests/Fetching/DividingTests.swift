import Testing

@Suite struct `Keys divided among threads` {
    @Test(
        arguments: [
            1...1, 1...2, 1...7, 5...1_000_003, -3...3, 0 ... .max, .min ... .max, .max ... .max,
        ] as [ClosedRange<Int64>], [1, 2, 3, 4, 64])
    func `form consecutive ranges without gaps`(_ keys: ClosedRange<Int64>, _ count: Int) {
        let ranges = keys.divided(into: count)

        #expect(ranges.count <= count)
        #expect(ranges.first?.lowerBound == keys.lowerBound)
        #expect(ranges.last?.upperBound == keys.upperBound)
        for (range, next) in zip(ranges, ranges.dropFirst()) {
            #expect(range.upperBound < .max && next.lowerBound == range.upperBound + 1)
        }
    }

    @Test func `are distributed evenly`() {
        #expect((1...100).divided(into: 2) == [1...50, 51...100] as [ClosedRange<Int64>])
        #expect((1...10).divided(into: 3) == [1...4, 5...8, 9...10] as [ClosedRange<Int64>])
        #expect((1...2).divided(into: 4) == [1...1, 2...2] as [ClosedRange<Int64>])
    }
}
