/// The effect of one save on the main actor, and the number of objects stored.
public struct SaveMeasurement: Sendable {
    /// The arrangement of the save.
    public let arrangement: SaveArrangement
    /// The number of objects to be saved.
    public let expectedCount: Int
    /// The number of these objects that the store contains afterwards.
    public let storedCount: Int
    /// The duration of the save.
    public let saveTime: Duration
    /// How late each tick of the main actor was, in ascending order.
    public let lateness: [Duration]
    /// The duration of one read on the main context that began during the save, or `nil` if the arrangement
    /// has no such read.
    public let readTime: Duration?

    /// Creates a measurement.
    public init(
        arrangement: SaveArrangement, expectedCount: Int, storedCount: Int, saveTime: Duration,
        lateness: [Duration], readTime: Duration?
    ) {
        self.arrangement = arrangement
        (self.expectedCount, self.storedCount) = (expectedCount, storedCount)
        (self.saveTime, self.readTime) = (saveTime, readTime)
        self.lateness = lateness.sorted()
    }

    /// Whether the store contains every saved object, and the main actor's ticks were recorded.
    public var isComplete: Bool { storedCount == expectedCount && !lateness.isEmpty }

    /// Returns the lateness that a share of the ticks, from 0 to 1, does not exceed.
    public func lateness(ofShare share: Double) -> Duration {
        guard let last = lateness.indices.last else { return .zero }
        let index = Int((share * Double(lateness.count)).rounded(.up)) - 1
        return lateness[min(max(0, index), last)]
    }
}
