/// How many threads an executor may have.
public struct ThreadLimits: Sendable, Hashable {
    /// How many threads run at the same time, those not counted that wait for a lock or a disk.
    public var running: Int
    /// How many threads there are at most, those that wait included. Work beyond that waits for a thread.
    public var total: Int
    /// How long a thread without work stays, for the next work to find it.
    public var idleTime: Duration

    /// - Parameters:
    ///   - running: at least 1; a smaller number counts as 1. Up to so many tasks share the processors
    ///     by time, as the system's scheduler has it; those beyond take turns.
    ///   - total: at least `running`; a smaller number counts as that.
    public init(running: Int = 16, total: Int = 64, idleTime: Duration = .seconds(2)) {
        self.running = max(1, running)
        self.total = max(self.running, total)
        self.idleTime = idleTime
    }
}
