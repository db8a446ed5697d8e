/// What the threads of an executor do at one moment.
public struct ThreadLoad: Sendable, Hashable {
    /// How many threads there are.
    public var threads: Int
    /// How many of them wait for a lock or a disk.
    public var waiting: Int
    /// How many of them have nothing to do, and end soon.
    public var idle: Int
    /// How many pieces of work wait for a thread.
    public var queued: Int
}
