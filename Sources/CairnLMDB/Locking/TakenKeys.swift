/// The keys that saves in this process took from a file, whether or not the saves were committed.
final class TakenKeys: @unchecked Sendable {
    // Unchecked: only accessed by the holder of the file's write lock.
    private var nextKeys: [String: Int64] = [:]

    /// Returns the key after the last key that was taken for a root entity.
    ///
    /// - Precondition: The caller holds the write lock.
    func next(of root: String) -> Int64 { nextKeys[root] ?? 1 }

    /// Records that the keys below `key` were taken.
    ///
    /// - Precondition: The caller holds the write lock.
    func raise(_ key: Int64, of root: String) { nextKeys[root] = max(key, next(of: root)) }
}
