/// Sorts entries by rank and prefix. Entries with equal rank and prefix stay in the order of their
/// indices.
enum EntrySort {
    typealias Entry = SortTable.Entry

    /// - Precondition: the entries are in the order of their indices.
    static func sort(_ entries: inout [Entry]) {
        guard entries.count >= RadixSort.fewest else {
            return entries.sort { left, right in
                if left.rank != right.rank { return left.rank < right.rank }
                if left.prefix != right.prefix { return left.prefix < right.prefix }
                return left.index < right.index
            }
        }
        RadixSort.sort(&entries) { $0.prefix }
        RadixSort.sort(&entries) { UInt64($0.rank) }
    }
}
