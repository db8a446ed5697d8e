import CairnModel
import CairnStore

/// The matches of a plan's entity and predicate, by key.
struct RowScan {
    private let rows: TableRows
    /// The only keys that can match, ascending; nil: all can.
    private var candidates: ArraySlice<Int64>?
    /// nil: all rows are of those that are asked for.
    private let entities: Range<EntityNumber>?
    private let filter: RowFilter?
    private var position: TableRows.Position

    /// - Throws: `.engineFailure` for a predicate that binding would have refused.
    init(_ plan: FetchPlan, _ resolver: TableResolver, type: StoreType) throws(StoreError) {
        rows = resolver.table.rows(root: plan.entity.rootEntity.number)
        let isAll = resolver.table.count(of: plan.entityNumbers) == rows.count
        entities = isAll ? nil : plan.entityNumbers
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

    /// How rows are chosen where each is looked at and its values say all; nil where they do not.
    private var choice: RowGathering.Choice? {
        guard candidates == nil else { return nil }
        guard let filter else { return RowGathering.Choice(entities: entities, test: nil) }
        return filter.valuesTest.map { RowGathering.Choice(entities: entities, test: $0) }
    }

    /// Returns the next matches, so many at most; an empty batch at the end.
    ///
    /// - Throws: what following a relationship throws.
    mutating func next(atMost count: Int) throws(StoreError) -> RowBatch {
        guard let choice else {
            var matches: [Row] = []
            while matches.count < count, let row = try next() { matches.append(row) }
            return RowBatch(matches)
        }
        var gathering = RowGathering(expecting: filter == nil ? min(count, rows.count) : 0)
        while gathering.batch.count < count {
            let used = rows.withRun(from: &position) { gathering.add($0, choice, upTo: count) }
            if used == nil { break }
        }
        return gathering.batch
    }

    /// Counts all matches.
    ///
    /// - Throws: what following a relationship throws.
    mutating func count() throws(StoreError) -> Int {
        var count = 0
        guard let choice else {
            while try next() != nil { count += 1 }
            return count
        }
        while true {
            let used = rows.withRun(from: &position) { run in
                count += RowGathering.count(run, choice)
                return run.count
            }
            if used == nil { return count }
        }
    }

    private mutating func next() throws(StoreError) -> Row? {
        while let row = nextRow() {
            guard entities?.contains(row.entity) ?? true else { continue }
            if try filter?.matches(row) ?? true { return row }
        }
        return nil
    }

    private mutating func nextRow() -> Row? {
        guard candidates != nil else { return rows.next(&position)?.row }
        while let key = candidates?.popFirst() {
            if let row = rows[key] { return row }
        }
        return nil
    }
}
