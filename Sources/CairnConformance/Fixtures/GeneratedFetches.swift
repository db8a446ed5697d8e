import CairnModel
import CairnStore

/// Random fetches, whose results are compared with those of the evaluator.
struct GeneratedFetches {
    private let subject: StoreSubject
    private let fixture: FetchFixture
    private let entity: Entity

    init(_ subject: StoreSubject, entity: String) throws {
        self.subject = subject
        self.entity = try subject.entity(entity)
        fixture = try FetchFixture(subject, entity: entity)
    }

    /// Tries `count` random predicates, generated from the rule's seed.
    func run(count: Int) throws {
        var random = SplitMix64(state: subject.seed)
        var generator = PredicateGenerator(
            seed: subject.seed, entity: entity, samples: try samples(), ids: fixture.all.ids)
        let sortable = entity.attributes.map { BoundPath(leaf: .attribute($0)) }
            .filter { $0.leafType != .transformable && $0.leafType != .composite }
        for _ in 0..<count {
            let predicate = generator.predicate()
            guard let bound = try? predicate.bound(to: entity) else { continue }
            var plan = FetchPlan(entity: entity, predicate: bound)
            if random.below(2) == 0, !sortable.isEmpty {
                let path = sortable[random.below(sortable.count)]
                plan.sorts = [BoundSort(path, isAscending: random.below(2) == 0)]
                if random.below(2) == 0 { plan.offset = random.below(4) }
                if random.below(2) == 0 { plan.limit = random.below(9) }
            }
            plan.includesSubentities = random.below(4) > 0
            try fixture.requireAgreement(plan, "\(predicate)")
        }
    }

    /// Returns the values in the store, by attribute.
    private func samples() throws -> [String: [Value]] {
        var samples: [String: [Value]] = [:]
        for entity in subject.model.entities where !entity.isAbstract {
            for row in try subject.rows(entity.name) {
                for attribute in entity.attributes where attribute.name != "blob" {
                    let value = try subject.value(attribute.name, of: row)
                    samples[PredicateGenerator.sampleKey(attribute), default: []].append(value)
                }
            }
        }
        return samples
    }
}
