/// Many measurements of one thing, in five numbers.
public struct Summary: Sendable, Hashable, Codable {
    /// Half of the measurements are below.
    public var median: Double
    /// A quarter of them are below.
    public var lowerQuartile: Double
    /// A quarter of them are above.
    public var upperQuartile: Double
    /// The smallest.
    public var minimum: Double
    /// All of them, in the order in which they were made.
    public var samples: [Double]

    /// - Parameter samples: in the order in which they were made; zeros where there are none.
    public init(_ samples: [Double]) {
        let sorted = samples.sorted()
        median = Self.quantile(0.5, ofSorted: sorted)
        lowerQuartile = Self.quantile(0.25, ofSorted: sorted)
        upperQuartile = Self.quantile(0.75, ofSorted: sorted)
        minimum = sorted.first ?? 0
        self.samples = samples
    }

    /// Half of what is between the quartiles, over the median: 0.05 is “± 5 %”.
    public var spread: Double {
        median == 0 ? 0 : (upperQuartile - lowerQuartile) / 2 / median
    }

    /// Returns a quantile, interpolated between the two measurements next to it.
    static func quantile(_ part: Double, ofSorted sorted: [Double]) -> Double {
        guard let last = sorted.indices.last else { return 0 }
        let place = part * Double(last)
        let index = Int(place)
        let next = min(index + 1, last)
        return sorted[index] + (sorted[next] - sorted[index]) * (place - Double(index))
    }
}
