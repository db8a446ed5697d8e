import CairnModel
import CairnStore

/// Objects to fetch, and what fetches of them must answer: the evaluation over all of them.
struct FetchFixture {
    private let subject: StoreSubject
    private let snapshot: any StoreSnapshot
    private let entity: Entity
    /// Every row of the entity.
    let all: RowBatch

    /// Fills the store with samples of every type that it keeps, some nil.
    ///
    /// - Parameter entity: `Sample`, or `IndexedSample`.
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
                // A list that ends before the others leaves nil, and so begins again.
                let chosen = lists.compactMap { list in
                    index % (list.count + 1) < list.count ? list[index % (list.count + 1)] : nil
                }
                return Dictionary(chosen, uniquingKeysWith: { first, _ in first })
            })
        try self.init(subject, entity: entity)
    }

    /// Takes the objects that the store has.
    init(_ subject: StoreSubject, entity: String) throws {
        self.subject = subject
        self.entity = try subject.entity(entity)
        snapshot = try subject.store.snapshot()
        all = try subject.drain(try snapshot.cursor(FetchPlan(entity: self.entity)), atMost: 50)
    }

    /// Those values that the engine does not refuse.
    private static func kept(
        _ values: [Value], _ name: String, _ subject: StoreSubject
    ) throws -> [Value] {
        let type = try subject.entity("Sample").attribute(named: name)?.type ?? .undefined
        if subject.harness.engine.capabilities.fidelity(of: type) == .exact { return values }
        return try values.filter { value in
            try subject.refusal { try $0.insert("Sample", [name: value]) } == nil
        }
    }

    /// The answer by definition.
    func expected(_ plan: FetchPlan) throws -> [ObjectID] {
        try PlanFinisher(snapshot, subject.layouts).answer(plan, over: all)
    }

    /// Requires that the store finds what the evaluation finds; returns it.
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

    /// Requires agreement on a predicate, its negation, and its count.
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

    /// Every operator with every sample, and with nil.
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
