/// The limits for the number of threads of an executor.
public struct ThreadLimits: Sendable, Hashable {
    /// The maximum number of threads that run at the same time, not counting those that wait for a
    /// lock or a disk. A number less than 1 counts as 1.
    ///
    /// More threads than there are processors run only if turns take longer than 10 ms.
    public var running: Int
    /// The maximum number of threads, including those that wait. A number less than ``running``
    /// counts as ``running``. When the limit is reached, further work waits for a thread.
    public var total: Int

    /// Creates limits. For the meaning of the parameters, see the properties with the same names.
    public init(running: Int = 16, total: Int = 64) {
        self.running = running
        self.total = total
    }
}
