/// Repeated measurements of one quantity, with five statistics.
public struct Summary: Sendable, Hashable, Codable {
    /// The median.
    public var median: Double
    /// The first quartile.
    public var lowerQuartile: Double
    /// The third quartile.
    public var upperQuartile: Double
    /// The minimum.
    public var minimum: Double
    /// All measurements, in the order in which they were made.
    public var samples: [Double]

    /// Creates a summary. All statistics are zero if there are no samples.
    ///
    /// - Parameter samples: The measurements, in the order in which they were made.
    public init(_ samples: [Double]) {
        let sorted = samples.sorted()
        median = Self.quantile(0.5, ofSorted: sorted)
        lowerQuartile = Self.quantile(0.25, ofSorted: sorted)
        upperQuartile = Self.quantile(0.75, ofSorted: sorted)
        minimum = sorted.first ?? 0
        self.samples = samples
    }

    /// Half of the interquartile range divided by the median: 0.05 means “± 5 %”.
    public var spread: Double {
        median == 0 ? 0 : (upperQuartile - lowerQuartile) / 2 / median
    }

    /// Returns a quantile, interpolated between the two adjacent measurements.
    static func quantile(_ part: Double, ofSorted sorted: [Double]) -> Double {
        guard let last = sorted.indices.last else { return 0 }
        let place = part * Double(last)
        let index = Int(place)
        let next = min(index + 1, last)
        return sorted[index] + (sorted[next] - sorted[index]) * (place - Double(index))
    }
}
