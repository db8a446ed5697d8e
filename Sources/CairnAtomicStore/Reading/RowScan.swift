import CairnModel
import CairnStore

/// The matches of a plan's entity and predicate, one after the other, by key.
struct RowScan {
    private let rows: SortedMap<Int64, Row>
    private let entities: Range<EntityNumber>
    private let filter: RowFilter?
    private var position: SortedMap<Int64, Row>.Position

    /// - Throws: `.engineFailure` for a predicate that binding would have refused.
    init(_ plan: FetchPlan, _ resolver: TableResolver, type: StoreType) throws(StoreError) {
        rows = resolver.table.rows(root: plan.entity.rootEntity.number)
        entities = plan.entityNumbers
        position = rows.start
        guard let predicate = plan.predicate, predicate != .constant(true) else {
            filter = nil
            return
        }
        do throws(FetchPredicateError) {
            filter = try RowFilter(
                predicate, layouts: resolver.table.schema.layouts, resolver: resolver)
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
        while let (_, row) = rows.next(&position) {
            guard entities.contains(row.entity) else { continue }
            if try filter?.matches(row) ?? true { return row }
        }
        return nil
    }
}
