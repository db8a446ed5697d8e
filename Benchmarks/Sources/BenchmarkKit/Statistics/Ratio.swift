/// How much longer one contender took than another, and how sure that is.
public struct Ratio: Sendable, Hashable, Codable {
    /// The ratio of the medians: what is compared with goals.
    public var median: Double
    /// The lower end of the interval that holds the median of the rounds' ratios with at least
    /// 95 % confidence.
    public var low: Double
    /// The upper end of it.
    public var high: Double

    /// - Parameters:
    ///   - samples: by round.
    ///   - baseline: of the same rounds, so that what disturbed a round cancels out.
    public init(of samples: [Double], to baseline: [Double]) {
        let whole = Summary(baseline).median
        median = whole == 0 ? 0 : Summary(samples).median / whole
        let ratios = zip(samples, baseline).map { $1 == 0 ? 0 : $0 / $1 }.sorted()
        let rank = Self.rank(of: ratios.count)
        low = min(median, ratios.isEmpty ? median : ratios[rank])
        high = max(median, ratios.isEmpty ? median : ratios[ratios.count - 1 - rank])
    }

    /// The median of the ratios of several runs, with the least and the greatest of them as its ends.
    init(medianOf ratios: [Ratio]) {
        median = Summary(ratios.map(\.median)).median
        low = ratios.map(\.median).min() ?? median
        high = ratios.map(\.median).max() ?? median
    }

    /// Its ends, such as `1.19–1.24`.
    var rangeText: String { "\(Format.ratio(low))–\(Format.ratio(high))" }

    /// Returns how many measurements may be left out at each end, so that the others hold the
    /// median with at least 95 % confidence.
    ///
    /// Each measurement is below the median as likely as above it, so how many are below is
    /// binomial (the sign test's interval). With fewer than 6 none can be left out, and the
    /// confidence is less.
    static func rank(of count: Int) -> Int {
        guard count > 0 else { return 0 }
        var probability = 1.0
        for _ in 0..<count { probability /= 2 }
        var below = 0.0
        var rank = 0
        for index in 0..<count {
            below += probability
            if below > 0.025 { break }
            rank = index + 1
            probability *= Double(count - index) / Double(index + 1)
        }
        // `rank` measurements below are still likely enough; the interval begins with the next.
        return max(0, rank - 1)
    }
}
