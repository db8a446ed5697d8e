/// How many threads an executor may have.
public struct ThreadLimits: Sendable, Hashable {
    private var givenRunning: Int
    private var givenTotal: Int

    /// How many threads may run at the same time, not counting those that wait for a lock or a disk. A
    /// number smaller than 1 counts as 1.
    ///
    /// More threads than there are processors run only beside turns that take longer than 10 ms.
    public var running: Int {
        get { max(1, givenRunning) }
        set { givenRunning = newValue }
    }
    /// How many threads there may be in all, including those that wait. A number smaller than
    /// ``running`` counts as that. Further work waits for a thread.
    public var total: Int {
        get { max(running, givenTotal) }
        set { givenTotal = newValue }
    }
    /// How long a thread without work stays, so that the next work finds it.
    public var idleTime: Duration

    /// Creates limits. The parameters mean what the properties of the same names say.
    public init(running: Int = 16, total: Int = 64, idleTime: Duration = .seconds(2)) {
        givenRunning = running
        givenTotal = total
        self.idleTime = idleTime
    }

    /// Returns whether two limits have the same effect.
    public static func == (one: ThreadLimits, other: ThreadLimits) -> Bool {
        (one.running, one.total, one.idleTime) == (other.running, other.total, other.idleTime)
    }

    /// Feeds what `==` compares to the hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(running)
        hasher.combine(total)
        hasher.combine(idleTime)
    }
}
