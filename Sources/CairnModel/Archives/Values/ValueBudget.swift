/// Limits the number of values that are read from an archive or property list.
///
/// Containers can share members, so a small hostile archive can expand to a huge value. An archive whose
/// members are not shared has fewer values than bytes.
struct ValueBudget {
    private var left: Int

    init(byteCount: Int) {
        left = byteCount + ArchivableValue.sharedValueLimit
    }

    /// Subtracts values that were read from the budget.
    ///
    /// - Throws: `.tooManyValues` if the budget is exceeded.
    mutating func spend(_ count: Int) throws(ArchiveError) {
        left -= count
        guard left >= 0 else {
            throw .tooManyValues(limit: ArchivableValue.sharedValueLimit)
        }
    }

    /// Subtracts one value of `byteCount` bytes. Long values cost more because they may be hashed or copied.
    mutating func spend(valueOf byteCount: Int) throws(ArchiveError) {
        try spend(1 + byteCount / 64)
    }
}
