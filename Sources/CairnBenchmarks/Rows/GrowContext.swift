import Cairn

/// Growth: saving in a context that contains many objects.
struct GrowContext: Workload {
    let name = "grow-context"
    let title = "change one object and save, in a context that holds all"
    let about = About(
        goal: "does not grow with the objects that are not changed",
        heldFixed: """
            all items realised and held; 20 changes of one item, a save for each (3 in engines \
            that write a whole file)
            """,
        varied: "C updates the row in a transaction; Cairn sets two values and saves")

    func plan(in setting: Setting) throws -> WorkloadPlan {
        let count = setting.saveCount(20)
        let ours = Contender("Cairn", .ours) {
            try setting.changing(.items) { stack in
                try stack.inContext { context in
                    let items = try context.allItems()
                    return try withExtendedLifetime(items) {
                        try items[0].change(count, in: context)
                    }
                }
            }
        }
        return .contests([
            Contest(
                unit: "save", durability: setting.engine.durability, [ours])
        ])
    }
}
