import CairnConformance
import CairnEngineKit
import CairnModel
import CairnRows
import CairnStore
import Foundation
import Testing

@testable import CairnSQLite

/// Compares SQL's results of predicates with the evaluator's results over the same rows.
struct PredicateAgreement {
    /// The predicates whose results differ, as text with both results.
    private(set) var differences: [String] = []
    /// The numbers of predicates that were bound, and of those that SQL evaluated completely.
    private(set) var boundCount = 0
    private(set) var translatedCount = 0
    /// The number of predicates that were true for some rows but not for all.
    private(set) var tellingCount = 0

    private let store: ReadStore
    private let snapshot: SQLiteSnapshot
    private let resolver: SnapshotResolver

    init(_ store: ReadStore) throws {
        self.store = store
        snapshot = try store.snapshot()
        resolver = SnapshotResolver(snapshot, layouts: store.layouts)
    }

    /// Compares `count` random predicates on the entity.
    mutating func compare(_ entity: Entity, seed: UInt64, count: Int) throws {
        let rows = try snapshot.all(FetchPlan(entity: entity)).batch
        guard !rows.isEmpty else { return }
        var generator = PredicateGenerator(
            seed: seed, entity: entity, samples: try samples(), ids: try sampleIDs())
        for _ in 0..<count {
            let predicate = generator.predicate()
            guard let bound = try? predicate.bound(to: entity) else { continue }
            try compare(bound, entity, rows, name: "\(entity.name): \(predicate)")
        }
    }

    private mutating func compare(
        _ bound: BoundPredicate, _ entity: Entity, _ rows: RowBatch, name: String
    ) throws {
        let filter = try RowFilter(bound, layouts: store.layouts, resolver: resolver)
        let expected = try filter.filter(rows).ids
        let answer = try snapshot.all(FetchPlan(entity: entity, predicate: bound))
        boundCount += 1
        if answer.completed.isComplete { translatedCount += 1 }
        if !expected.isEmpty, expected.count < rows.count { tellingCount += 1 }
        let found = try finished(answer.batch, answer.completed.remainingPredicate)
        if found != expected {
            differences.append(
                "\(name)\n SQL: \(found.map(\.key).prefix(20)) not \(expected.map(\.key).prefix(20))"
            )
        }
    }

    /// Completes the answer as the coordinator does.
    private func finished(_ batch: RowBatch, _ remaining: BoundPredicate?) throws -> [ObjectID] {
        guard let remaining else { return batch.ids }
        return try RowFilter(remaining, layouts: store.layouts, resolver: resolver)
            .filter(batch).ids
    }

    private func samples() throws -> [String: [Value]] {
        var result: [String: [Value]] = [:]
        for entity in store.model.entities {
            let plan = FetchPlan(entity: entity, includesSubentities: false)
            let rows = try snapshot.all(plan).batch
            let layout = store.layouts.layout(of: entity)
            for (slot, property) in zip(layout.slots, layout.properties) {
                guard case .attribute(let attribute) = property,
                    slot.kind != .externalBinary
                else { continue }
                let some = stride(from: 0, to: rows.count, by: max(1, rows.count / 20))
                result[PredicateGenerator.sampleKey(attribute), default: []] += some.map {
                    rows[row: $0].value(slot)
                }
            }
        }
        return result
    }

    private func sampleIDs() throws -> [ObjectID] {
        try store.model.entities.filter { $0.superentity == nil }.flatMap { entity in
            try snapshot.all(FetchPlan(entity: entity, limit: 10)).batch.ids
        }
    }
}
