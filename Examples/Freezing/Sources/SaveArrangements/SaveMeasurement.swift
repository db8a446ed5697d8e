/// What one save did to the main actor, and how many objects it stored.
public struct SaveMeasurement: Sendable {
    /// How the objects were saved.
    public let arrangement: SaveArrangement
    /// How many objects were to be saved.
    public let expectedCount: Int
    /// How many of these objects the store has afterwards.
    public let storedCount: Int
    /// How long the save took.
    public let saveTime: Duration
    /// How late each tick of the main actor was, in ascending order.
    public let lateness: [Duration]
    /// How long one read on the main context took that began during the save. The value is `nil` if
    /// the arrangement has no such read.
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

    /// Whether the store has every object that was saved, and the main actor's ticks were counted.
    public var isComplete: Bool { storedCount == expectedCount && !lateness.isEmpty }

    /// Returns the lateness that a share of the ticks, from 0 to 1, does not exceed.
    public func lateness(ofShare share: Double) -> Duration {
        guard let last = lateness.indices.last else { return .zero }
        let index = Int((share * Double(lateness.count)).rounded(.up)) - 1
        return lateness[min(max(0, index), last)]
    }
}
