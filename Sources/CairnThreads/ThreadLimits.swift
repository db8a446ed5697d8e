/// How many threads an executor may have.
public struct ThreadLimits: Sendable, Hashable {
    /// The most threads that run at the same time, not counting those that wait for a lock or a disk. More
    /// than there are processors run only beside turns that take longer than 10 ms.
    public var running: Int
    /// How many threads there are at most, those that wait included. Work beyond that waits for a thread.
    public var total: Int
    /// How long a thread without work stays, for the next work to find it.
    public var idleTime: Duration

    /// - Parameters:
    ///   - running: at least 1; a smaller number counts as 1.
    ///   - total: at least `running`; a smaller number counts as that.
    public init(running: Int = 16, total: Int = 64, idleTime: Duration = .seconds(2)) {
        self.running = max(1, running)
        self.total = max(self.running, total)
        self.idleTime = idleTime
    }
}
