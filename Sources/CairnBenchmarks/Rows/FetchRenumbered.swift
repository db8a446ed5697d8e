import Cairn

/// The cost of a model that numbers its entities differently from the store
/// (docs/decisions/migration.md).
struct FetchRenumbered: Workload {
    let name = "numbers"
    let title = "fetch all with a model that numbers its entities differently"
    let about = About(
        goal: "≤ 1.05 of the same with the model that made the store",
        heldFixed: "all items of one store, in the order of their keys",
        varied: """
            the model that made the store; the same with one more entity, whose name sorts first, so \
            that all others have other numbers
            """)

    func plan(in setting: Setting) throws -> WorkloadPlan {
        guard setting.engine.isDurable else {
            return .notApplicable(
                because: "a store in memory keeps the numbers of the model that made it")
        }
        let made = try setting.items()
        let larger = try setting.shelf.open(
            setting.engine, at: try setting.itemsURL(), model: try ReferenceModel.larger.get())
        return .contests([
            Contest(
                part: "lazily", unit: "row",
                Self.contenders(made, larger) { context in
                    var watch = Stopwatch()
                    let results: FetchResults<Item> = try watch.time {
                        try context.fetch(FetchRequest<Item>())
                    }
                    return Sample(watch, rows: results)
                }),
            Contest(
                part: "realised", unit: "row",
                Self.contenders(made, larger) { context in
                    var watch = Stopwatch()
                    let items = try watch.time { try context.allItems() }
                    return Sample(watch, rows: items)
                }),
        ])
    }

    private static func contenders(
        _ made: MeasuredStack, _ larger: MeasuredStack,
        _ body: @escaping @Sendable (ManagedObjectContext) throws -> Sample
    ) -> [Contender] {
        [
            Contender("Cairn, numbers agree", .baseline) { try made.inContext(body) },
            Contender("Cairn, numbers differ", .ours, goal: .ratio(1.05)) {
                try larger.inContext(body)
            },
        ]
    }
}
