import CairnModel
import CairnRows

/// The rows that may be among the first ones in an order, found by looking at each row once.
///
/// Most rows come after the last of the rows that are kept, and cost one comparison.
struct FirstCandidates {
    /// A row by its first sort key, which is enough to order most rows.
    private struct Candidate {
        let rank: UInt32
        let prefix: UInt64
        let key: Int64

        func isAfter(_ other: Candidate) -> Bool {
            rank != other.rank ? rank > other.rank : prefix > other.prefix
        }
    }

    private let wanted: Int
    private let slots: SlotTable
    private let sortKey: (RowPointer, RowLayout.Slot) -> UInt64
    private let flip: UInt64
    private let ofNull: UInt32
    private var candidates: ContiguousArray<Candidate> = []
    /// The last of the wanted rows among those that were looked at, once there are enough.
    private var last: Candidate?
    private var fullCount: Int

    /// Returns `nil` if the first sort key is not a number or text in the row itself.
    ///
    /// - Parameter wanted: how many of the first rows are wanted, at least one.
    init?(_ wanted: Int, of sorter: RowSorter) {
        guard let sort = sorter.sorts.first, let (type, slots) = sorter.slots(sort) else {
            return nil
        }
        switch type {
        case .integer16, .integer32, .integer64:
            sortKey = { UInt64(bitPattern: $0.integer($1)) ^ 1 << 63 }
        case .double, .date: sortKey = { SortPart.ordered($0.double($1)) }
        case .float: sortKey = { SortPart.ordered(Double($0.float($1))) }
        case .string where sort.textOrder == .scalars:
            sortKey = { SortPart.prefix($0.unsafeBytes($1)) }
        default: return nil
        }
        self.wanted = wanted
        self.slots = slots
        flip = sort.isAscending ? 0 : .max
        ofNull = sort.isAscending ? 0 : 2
        fullCount = wanted + 1_024
    }

    /// Looks at a row.
    mutating func add(_ row: RowPointer) {
        let candidate: Candidate
        if let slot = slots.slot(for: row), !row.isNull(slot) {
            candidate = Candidate(rank: 1, prefix: sortKey(row, slot) ^ flip, key: row.key)
        } else {
            candidate = Candidate(rank: ofNull, prefix: 0, key: row.key)
        }
        if let last, candidate.isAfter(last) { return }
        candidates.append(candidate)
        if candidates.count >= fullCount { removeOthers() }
    }

    /// Removes the rows that come after the wanted ones. Rows that are equal to the last of these stay,
    /// because other sort keys decide between them.
    private mutating func removeOthers() {
        candidates.sort { $1.isAfter($0) }
        let last = candidates[wanted - 1]
        self.last = last
        candidates.removeAll { $0.isAfter(last) }
        // Many equal rows would otherwise be sorted again and again.
        fullCount = max(wanted + 1_024, 2 * candidates.count)
    }

    /// The keys of the rows that may be among the first ones, in ascending order.
    var keys: [Int64] { candidates.map(\.key).sorted() }
}
