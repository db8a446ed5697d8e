/// The keys that saves of this process took from a file, whether or not they were committed.
final class TakenKeys: @unchecked Sendable {
    // Unchecked: accessed only by the holder of the file's write lock.
    private var nextKeys: [String: Int64] = [:]

    /// Returns the key after the last that was taken, for a root entity.
    ///
    /// - Precondition: the caller holds the write lock.
    func next(of root: String) -> Int64 { nextKeys[root] ?? 1 }

    /// Notes that the keys before this one were taken.
    ///
    /// - Precondition: the caller holds the write lock.
    func raise(_ key: Int64, of root: String) { nextKeys[root] = max(key, next(of: root)) }
}
