/// Repeated measurements of one quantity, with five statistics.
package struct Summary: Sendable, Hashable, Codable {
    /// The median.
    package var median: Double
    /// The first quartile.
    package var lowerQuartile: Double
    /// The third quartile.
    package var upperQuartile: Double
    /// The minimum.
    package var minimum: Double
    /// All measurements, in the order in which they were made.
    package var samples: [Double]

    /// Creates a summary. All statistics are zero if there are no samples.
    ///
    /// - Parameter samples: The measurements, in the order in which they were made.
    package init(_ samples: [Double]) {
        let sorted = samples.sorted()
        median = Self.quantile(0.5, ofSorted: sorted)
        lowerQuartile = Self.quantile(0.25, ofSorted: sorted)
        upperQuartile = Self.quantile(0.75, ofSorted: sorted)
        minimum = sorted.first ?? 0
        self.samples = samples
    }

    /// Half of the interquartile range divided by the median: 0.05 means “± 5 %”.
    package var spread: Double {
        median == 0 ? 0 : (upperQuartile - lowerQuartile) / 2 / median
    }

    /// Returns a quantile, interpolated between the two adjacent measurements.
    static func quantile(_ part: Double, ofSorted sorted: [Double]) -> Double {
        guard let last = sorted.indices.last else { return 0 }
        let position = part * Double(last)
        let index = Int(position)
        let next = min(index + 1, last)
        return sorted[index] + (sorted[next] - sorted[index]) * (position - Double(index))
    }
}
