/// The state of an executor's threads at one moment.
public struct ThreadLoad: Sendable, Hashable {
    /// The number of threads, including those that wait and those that are idle.
    public var threads: Int
    /// The number of threads that wait for a lock or a disk.
    public var waiting: Int
    /// The number of threads that have no work, and end soon.
    public var idle: Int
    /// The number of jobs that wait for a thread.
    public var queued: Int
}
