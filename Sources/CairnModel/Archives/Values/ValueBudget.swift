/// How much more a reader of values may read.
///
/// Containers may share members, so a small hostile archive can unfold to a huge value. An archive whose
/// members are not shared has fewer values than bytes.
struct ValueBudget {
    private var left: Int

    init(byteCount: Int) {
        left = byteCount + ArchivableValue.sharedValueLimit
    }

    /// - Throws: `.tooManyValues`.
    mutating func spend(_ count: Int) throws(ArchiveError) {
        left -= count
        guard left >= 0 else {
            throw .tooManyValues(limit: ArchivableValue.sharedValueLimit)
        }
    }

    /// Counts a value with that many bytes of its own, each of which may be hashed or copied.
    mutating func spend(valueOf byteCount: Int) throws(ArchiveError) {
        try spend(1 + byteCount / 64)
    }
}
