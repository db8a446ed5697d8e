import CairnModel
import CairnStore

/// Walks the rows of one root entity by key.
final class AtomicCursor: RowCursor {
    let completed: CompletedStages
    private let store: AtomicStore
    private let rows: SortedMap<Int64, Row>
    private let entities: Range<EntityNumber>
    private let output: FetchPlan.Output
    private var position: SortedMap<Int64, Row>.Position
    private var toSkip: Int
    /// How many more rows may come.
    private var remaining: Int

    init(_ plan: FetchPlan, store: AtomicStore, table: RowTable) {
        self.store = store
        rows = table.rows(root: plan.entity.rootEntity.number)
        entities = plan.entityNumbers
        output = plan.output
        position = rows.start
        let isSorted = plan.predicate == nil && plan.sorts.isEmpty
        let isPaged = isSorted || plan.offset <= 0 && plan.limit == nil
        completed = CompletedStages(
            remainingPredicate: plan.predicate, isSorted: plan.sorts.isEmpty, isPaged: isPaged)
        toSkip = isSorted ? max(plan.offset, 0) : 0
        remaining = isSorted ? max(plan.limit ?? .max, 0) : .max
    }

    func next(atMost count: Int) throws(StoreError) -> RowBatch? {
        try store.checkOpen()
        var found: [Row] = []
        while found.count < min(max(count, 1), remaining),
            let (_, row) = rows.next(&position)
        {
            if !entities.contains(row.entity) { continue }
            if toSkip > 0 { toSkip -= 1 } else { found.append(row) }
        }
        remaining -= found.count
        if found.isEmpty { return nil }
        return output == .rows ? RowBatch(found) : RowBatch(ids: found.lazy.map(\.id))
    }
}
