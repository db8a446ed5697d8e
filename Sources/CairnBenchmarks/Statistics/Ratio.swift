/// How much longer one contender took than another, with the uncertainty.
package struct Ratio: Sendable, Hashable, Codable {
    /// The ratio of the medians, which is compared with goals.
    package var median: Double
    /// The lower end of the interval that contains the median of the rounds' ratios with at least 95 %
    /// confidence.
    package var low: Double
    /// The upper end of the interval.
    package var high: Double

    /// Creates the ratio of two contenders.
    ///
    /// - Parameters:
    ///   - samples: The measurements by round.
    ///   - baseline: The measurements of the baseline in the same rounds, so that disturbances of a round
    ///     cancel out.
    package init(of samples: [Double], to baseline: [Double]) {
        let whole = Summary(baseline).median
        median = whole == 0 ? 0 : Summary(samples).median / whole
        let ratios = zip(samples, baseline).map { $1 == 0 ? 0 : $0 / $1 }.sorted()
        let rank = Self.rank(of: ratios.count)
        low = min(median, ratios.isEmpty ? median : ratios[rank])
        high = max(median, ratios.isEmpty ? median : ratios[ratios.count - 1 - rank])
    }

    /// Creates the median of the ratios of several runs. Its interval extends from the smallest to the
    /// largest of them.
    init(medianOf ratios: [Ratio]) {
        median = Summary(ratios.map(\.median)).median
        low = ratios.map(\.median).min() ?? median
        high = ratios.map(\.median).max() ?? median
    }

    /// The interval, such as `1.19–1.24`.
    var rangeText: String { "\(Format.ratio(low))–\(Format.ratio(high))" }

    /// Returns how many measurements can be left out at each end, so that the others contain the median with
    /// at least 95 % confidence.
    ///
    /// Each measurement is equally likely to be below or above the median, so the number below is binomially
    /// distributed (the interval of the sign test). With fewer than 6 measurements, none can be left out and
    /// the confidence is lower.
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
        // The interval extends from the `rank`th smallest to the `rank`th largest measurement, so one fewer
        // is left out at each end.
        return max(0, rank - 1)
    }
}
