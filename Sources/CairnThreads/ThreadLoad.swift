/// What the threads of an executor do at one moment.
public struct ThreadLoad: Sendable, Hashable {
    /// All threads there are.
    public var threads: Int
    /// Those of them that wait for a lock or a disk.
    public var waiting: Int
    /// Those of them that have nothing to do and end soon.
    public var idle: Int
    /// Pieces of work that wait for a thread.
    public var queued: Int
}
