import CairnModel
import CairnRows
import CairnStore

/// Objects to fetch, and the expected results of fetches, which are evaluated over all objects.
struct FetchFixture {
    private let subject: StoreSubject
    private let snapshot: any StoreSnapshot
    private let entity: Entity
    /// All rows of the entity.
    let all: RowBatch

    /// Fills the store with sample values of every type that it supports. Some values are nil.
    ///
    /// - Parameter entity: The entity to fill: `Sample` or `IndexedSample`.
    init(_ subject: StoreSubject, filling entity: String = "Sample") throws {
        var lists: [[(String, Value)]] = []
        for (name, type) in KitModel.comparable {
            let values = try Self.kept(ValueSamples.short(type).map(\.value), name, subject)
            lists.append(values.map { (name, $0) })
        }
        let count = lists.map(\.count).max() ?? 0
        try subject.insertAll(
            entity,
            (0..<count + 2).map { index in
                // When a list ends before the others, the next value is nil, and then the list starts
                // again.
                let chosen = lists.compactMap { list in
                    index % (list.count + 1) < list.count ? list[index % (list.count + 1)] : nil
                }
                return Dictionary(chosen, uniquingKeysWith: { first, _ in first })
            })
        try self.init(subject, entity: entity)
    }

    /// Creates a fixture from the objects that are already in the store.
    init(_ subject: StoreSubject, entity: String) throws {
        self.subject = subject
        self.entity = try subject.entity(entity)
        snapshot = try subject.store.snapshot()
        all = try subject.drain(try snapshot.cursor(FetchPlan(entity: self.entity)), atMost: 50)
    }

    /// Returns the values that the engine does not refuse.
    private static func kept(
        _ values: [Value], _ name: String, _ subject: StoreSubject
    ) throws -> [Value] {
        let type = try subject.entity("Sample").attribute(named: name)?.type ?? .undefined
        if subject.harness.engine.capabilities.fidelity(of: type) == .exact { return values }
        return try values.filter { value in
            try subject.refusal { try $0.insert("Sample", [name: value]) } == nil
        }
    }

    /// Returns the correct result of a plan, by evaluating it over all rows.
    func expected(_ plan: FetchPlan) throws -> [ObjectID] {
        try PlanFinisher(snapshot, subject.layouts).answer(plan, over: all)
    }

    /// Checks the IDs, the versions, and the values of some slots in all rows of the entity.
    func requireValues(of plan: FetchPlan, reading slots: SlotSet) throws {
        let found = try subject.drain(try snapshot.cursor(plan), atMost: 20)
        try requireEqual(found.count, all.count, "the number of rows")
        let rows = Dictionary(all.rows.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        for row in found.rows {
            guard let whole = rows[row.id], let layout = subject.layouts.layout(of: row.entity)
            else {
                throw RuleViolation(detail: "a row has the ID \(row.id), which no object has")
            }
            try requireEqual(row.version, whole.version, "the version of \(row.id)")
            for (number, slot) in layout.slots.enumerated() where slots.contains(number) {
                try requireEqual(
                    row.value(slot), whole.value(slot),
                    "the slot of \(layout.properties[number].name) in \(row.id)")
            }
        }
    }

    /// Checks that the store finds what the evaluation finds, and returns the result.
    @discardableResult
    func requireAgreement(
        _ plan: FetchPlan, _ words: @autoclosure () -> String
    ) throws -> [ObjectID] {
        let found = try subject.ids(plan, in: snapshot, atMost: 20)
        let expected = try expected(plan)
        if plan.sorts.isEmpty {
            try requireEqual(
                found.map(\.key).sorted(), expected.map(\.key).sorted(), "keys found by \(words())")
        } else {
            try requireEqual(found.map(\.key), expected.map(\.key), "keys in order of \(words())")
        }
        return found
    }

    /// Checks that the store and the evaluation agree on a predicate, its negation, and its count.
    func requireAgreement(_ predicate: FetchPredicate) throws {
        guard let bound = try? predicate.bound(to: entity) else { return }
        for part in [bound, .not(bound)] {
            let plan = FetchPlan(entity: entity, predicate: part)
            let found = try requireAgreement(plan, "\(predicate)")
            if let count = try snapshot.count(plan) {
                try requireEqual(count, found.count, "the count of \(predicate)")
            }
        }
    }

    /// Returns predicates that apply every operator to every sample value and to nil.
    static func predicates(on name: String, _ type: AttributeType) -> [FetchPredicate] {
        let path = FetchExpression.keyPath([name])
        let values = ValueSamples.short(type).map { FetchExpression.constant($0.value) }
        let constants = values + [.constant(.null)]
        var all: [PredicateComparison] = []
        for comparison in orders {
            all += constants.map { PredicateComparison(path, comparison, $0) }
        }
        for (first, second) in zip(values, values.dropFirst()) {
            all.append(PredicateComparison(path, .between, .list([first, second])))
            all.append(PredicateComparison(path, .in, .list([second, first, .constant(.null)])))
        }
        all.append(PredicateComparison(path, .in, .list([])))
        if type == .string { all += textComparisons(path, constants) }
        return all.map(FetchPredicate.comparison)
    }

    private static let orders: [PredicateComparison.Operator] = [
        .equal, .notEqual, .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual,
    ]

    private static func textComparisons(
        _ path: FetchExpression, _ constants: [FetchExpression]
    ) -> [PredicateComparison] {
        let operators: [PredicateComparison.Operator] = [
            .beginsWith, .endsWith, .contains, .like, .equal, .lessThan,
        ]
        return operators.flatMap { comparison in
            constants.flatMap { constant in
                (0..<4).map { options in
                    PredicateComparison(
                        path, comparison, constant,
                        options: PredicateComparison.Options(rawValue: UInt8(options)))
                }
            }
        }
    }
}

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
