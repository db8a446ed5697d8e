import CairnModel
import CairnRows
import CairnStore
import Foundation
import Logging

/// A source that reads states of a coordinator's stores: the newest states, or those to which it is
/// pinned.
///
/// An extension implements all reading in terms of this protocol, so that it is the same for all states.
protocol StateReading: ObjectSource {
    var stack: PersistentStoreCoordinator { get }

    /// Returns the states of those of `stores` that this source reads. The caller must release them.
    ///
    /// - Throws: `.store`.
    func snapshots(of stores: [AttachedStore]) throws(GraphError) -> SnapshotSet

    /// Releases the result of ``snapshots(of:)``.
    func release(_ states: SnapshotSet)

    /// Calls a closure with the state of one store.
    ///
    /// - Parameter isNewest: Whether the state must be the newest one, if the source can choose. A
    ///   slightly older state is cheaper.
    /// - Throws: `.unknownStore`; `.store` with the error that `body` throws.
    func withState<Result>(
        of store: StoreNumber, isNewest: Bool,
        _ body: (StoreReading) throws(StoreError) -> Result
    ) throws(GraphError) -> Result

    /// Returns the rows of the state that the row cache contains, and the IDs of the other rows.
    ///
    /// - Throws: `.unknownStore`.
    func cachedRows(
        for ids: [ObjectID], of store: StoreNumber
    ) throws(GraphError) -> (found: [Row], missing: [ObjectID])
}

extension StateReading {
    package func fetch(
        _ plan: FetchPlan, in stores: [StoreNumber]?
    ) throws(GraphError) -> RowBatch {
        try answer(
            plan, in: stores, .fetch, rows: { $0.holdsIDsOnly ? 0 : $0.count },
            result: { ["objects": "\($0.count)"] }
        ) { pipeline, states throws(StoreError) in
            try pipeline.fetch(from: states)
        }
    }

    package func count(_ plan: FetchPlan, in stores: [StoreNumber]?) throws(GraphError) -> Int {
        try answer(
            plan, in: stores, .count, result: { ["objects": "\($0)"] }
        ) { pipeline, states throws(StoreError) in
            try pipeline.count(in: states)
        }
    }

    package func explain(
        _ plan: FetchPlan, in stores: [StoreNumber]?
    ) throws(GraphError) -> [FetchExplanation] {
        var plan = plan
        plan.isExplained = true
        return try answer(plan, in: stores, .fetch, result: { _ in [:] }) {
            pipeline, states throws(StoreError) in
            try pipeline.explain(in: states)
        }
    }

    package func dictionaries(
        _ plan: DictionaryPlan, in stores: [StoreNumber]?
    ) throws(GraphError) -> [DictionaryRow] {
        try answer(
            plan.fetch, in: stores, reading: plan.inputs.flatMap(\.paths), .dictionaries,
            result: { ["dictionaries": "\($0.count)"] }
        ) { pipeline, states throws(StoreError) in
            try DictionaryFetch(plan, pipeline).run(on: states)
        }
    }

    /// Calls a closure with the states of the stores that may contain matches of a plan, and with the pipeline
    /// that executes the plan. Reports the call as an operation.
    ///
    /// - Parameter paths: What else is read of the matches.
    fileprivate func answer<Answer>(
        _ plan: FetchPlan, in stores: [StoreNumber]?, reading paths: [BoundPath] = [],
        _ operation: MonitoredOperation, rows: (Answer) -> Int = { (_: Answer) in 0 },
        result: (Answer) -> Logger.Metadata,
        _ body: (FetchPipeline, SnapshotSet) throws(StoreError) -> Answer
    ) throws(GraphError) -> Answer {
        try stack.monitor.measure(operation, plan.logMetadata, rows: rows, result: result) {
            () throws(GraphError) in
            try StoreDeadline.with(plan.deadline) { () throws(GraphError) in
                try stack.withCurrentStores { list throws(GraphError) in
                    let holders = try list.stores(holding: plan, among: stores)
                    let all = try snapshots(
                        of: list.adding(storesReferredToBy: plan.paths + paths, to: holders))
                    defer { release(all) }
                    let states =
                        all.members.count == holders.count
                        ? all : all.filtered { store in holders.contains { $0 === store } }
                    if states.members.isEmpty {
                        throw .noStore(entity: plan.entity.name, hasStores: !list.stores.isEmpty)
                    }
                    do throws(StoreError) {
                        let joined = JoinedSnapshot(all, of: stack)
                        return try body(
                            try FetchPipeline(plan, of: stack, following: joined), states)
                    } catch {
                        throw GraphError(ofStore: error)
                    }
                }
            }
        }
    }

    /// Reads the rows of objects from one store, and reports this as an operation.
    func storedRows(
        for ids: [ObjectID], of store: StoreNumber, isNewest: Bool
    ) throws(GraphError) -> RowBatch {
        try stack.monitor.measure(.fault, logMetadata(ids), rows: \.count) {
            () throws(GraphError) in
            try withState(of: store, isNewest: isNewest) { state throws(StoreError) in
                try state.rows(for: ids)
            }
        }
    }

    /// Describes the objects of a read.
    func logMetadata(_ ids: [ObjectID]) -> Logger.Metadata {
        let entity = ids.first.flatMap { stack.managedObjectModel.entity(numbered: $0.entity) }
        return ["entity": "\(entity?.name ?? "unknown")", "objects": "\(ids.count)"]
    }

    package func rows(for ids: [ObjectID]) throws(GraphError) -> RowBatch {
        // Most faults are fired one by one, and most sources have a faster way to read one row.
        if ids.count == 1, let id = ids.first {
            return RowBatch(CollectionOfOne(try row(for: id)).compactMap(\.self))
        }
        let groups = IDGroups(ids)
        var batch = RowBatch()
        for (store, ids) in zip(groups.stores, groups.ids) {
            let (found, missing) = try cachedRows(for: ids, of: store)
            batch.append(RowBatch(found))
            if missing.isEmpty { continue }
            let known = try storedRows(for: missing, of: store, isNewest: false)
            batch.append(known)
            if known.count == missing.count { continue }
            // The newest known state may be older than an object. Only the newest state shows that it is gone.
            let seen = IDTable(known.ids)
            let absent = missing.filter { !seen.contains($0) }
            if !absent.isEmpty {
                batch.append(try storedRows(for: absent, of: store, isNewest: true))
            }
        }
        return batch
    }

    package func freshRows(for ids: [ObjectID]) throws(GraphError) -> RowBatch {
        let groups = IDGroups(ids)
        var batch = RowBatch()
        for (store, ids) in zip(groups.stores, groups.ids) {
            batch.append(try storedRows(for: ids, of: store, isNewest: true))
        }
        return batch
    }

    package func relatedIDs(
        _ relationship: Relationship, of ids: [ObjectID]
    ) throws(GraphError) -> RelatedIDs {
        let answer = try related([RelatedQuestion(relationship, of: ids)])
        return answer.members.first ?? RelatedIDs()
    }

    package func related(_ questions: [RelatedQuestion]) throws(GraphError) -> RelatedAnswer {
        try questions.answer { store, questions throws(GraphError) in
            try stack.monitor.measure(.relationship, questions.logMetadata) {
                () throws(GraphError) in
                try withState(of: store, isNewest: false) { state throws(StoreError) in
                    try state.related(questions)
                }
            }
        }
    }

    package func externalData(_ reference: ExternalReference) throws(GraphError) -> Data {
        try stack.monitor.measure(.externalData, [:]) { () throws(GraphError) in
            try withState(of: reference.store, isNewest: false) { state throws(StoreError) in
                try state.snapshot.externalData(reference)
            }
        }
    }
}

extension ObjectSource {
    /// Calls a closure with the matches of a plan in batches, of which one is in memory at a time. All of them are read
    /// from one state. Unsaved changes of contexts are ignored.
    ///
    /// - Throws: The errors of a fetch, and what `body` throws.
    package func visit(
        _ plan: FetchPlan, in stores: [StoreNumber]?, batchesOf count: Int,
        _ body: (RowBatch) throws -> Void
    ) throws {
        guard let reading = self as? any StateReading else { throw refusal ?? .notConnected }
        var failure: (any Error)?
        _ = try reading.answer(
            plan, in: stores, .fetch, rows: { $0 }, result: { ["objects": "\($0)"] }
        ) { pipeline, states throws(StoreError) in
            let cursor = try pipeline.cursor(on: states)
            var total = 0
            // After the first batch, an error must not let the store be read from the beginning.
            while failure == nil {
                let next: RowBatch?
                do throws(StoreError) {
                    try plan.checkCancellation()
                    next = try cursor.next(atMost: count)
                } catch {
                    if total == 0 { throw error }
                    failure = GraphError(ofStore: error)
                    break
                }
                guard let batch = next else { break }
                total += batch.count
                do { try body(batch) } catch { failure = error }
            }
            return total
        }
        if let failure { throw failure }
    }
}
