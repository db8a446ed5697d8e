import CairnModel
import CairnStore

/// The matches of a plan's entity and predicate, one after the other, by key.
struct RowScan {
    private let rows: SortedMap<Int64, Row>
    /// The only keys that can match, ascending; nil: all can.
    private var candidates: ArraySlice<Int64>?
    private let entities: Range<EntityNumber>
    private let filter: RowFilter?
    private var position: SortedMap<Int64, Row>.Position

    /// - Throws: `.engineFailure` for a predicate that binding would have refused.
    init(_ plan: FetchPlan, _ resolver: TableResolver, type: StoreType) throws(StoreError) {
        rows = resolver.table.rows(root: plan.entity.rootEntity.number)
        entities = plan.entityNumbers
        position = rows.start
        candidates = nil
        guard let predicate = plan.predicate, predicate != .constant(true) else {
            filter = nil
            return
        }
        do throws(FetchPredicateError) {
            filter = try RowFilter(
                predicate, layouts: resolver.table.schema.layouts, resolver: resolver)
            let finder = CandidateFinder(resolver, root: plan.entity.rootEntity.number)
            candidates = finder.keys(for: predicate).map { $0[...] }
        } catch {
            throw .engineFailure(
                EngineFailure(
                    type: type, location: resolver.location, operation: "compile a predicate",
                    code: 0, message: "\(error)"))
        }
    }

    /// Returns the next match; nil at the end.
    ///
    /// - Throws: what following a relationship throws.
    mutating func next() throws(StoreError) -> Row? {
        while let row = nextRow() {
            guard entities.contains(row.entity) else { continue }
            if try filter?.matches(row) ?? true { return row }
        }
        return nil
    }

    private mutating func nextRow() -> Row? {
        guard candidates != nil else { return rows.next(&position)?.value }
        while let key = candidates?.popFirst() {
            if let row = rows[key] { return row }
        }
        return nil
    }
}
