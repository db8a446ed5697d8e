/// The limits for the number of threads of an executor.
public struct ThreadLimits: Sendable, Hashable {
    private var givenRunning: Int
    private var givenTotal: Int

    /// The maximum number of threads that run at the same time, not counting those that wait for a
    /// lock or a disk. A number less than 1 counts as 1.
    ///
    /// More threads than there are processors run only if turns take longer than 10 ms.
    public var running: Int {
        get { max(1, givenRunning) }
        set { givenRunning = newValue }
    }
    /// The maximum number of threads, including those that wait. A number less than ``running``
    /// counts as ``running``. When the limit is reached, further work waits for a thread.
    public var total: Int {
        get { max(running, givenTotal) }
        set { givenTotal = newValue }
    }
    /// How long a thread without work is kept, so that it is available for new work.
    package var idleTime = Duration.seconds(2)

    /// Creates limits. For the meaning of the parameters, see the properties with the same names.
    public init(running: Int = 16, total: Int = 64) {
        givenRunning = running
        givenTotal = total
    }

    /// Returns whether both limits have the same effect.
    public static func == (one: ThreadLimits, other: ThreadLimits) -> Bool {
        (one.running, one.total, one.idleTime) == (other.running, other.total, other.idleTime)
    }

    /// Hashes the values that `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(running)
        hasher.combine(total)
        hasher.combine(idleTime)
    }
}
