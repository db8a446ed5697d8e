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
                    var watch = Stopwatch()
                    try withExtendedLifetime(items) {
                        for step in 0..<count {
                            try watch.time {
                                items[0].price = Double(step) + 0.125
                                items[0].title = "title \(step)"
                                try context.save()
                            }
                        }
                    }
                    return Sample(watch, operations: count, checksum: 0)
                }
            }
        }
        return .contests([
            Contest(
                unit: "save", durability: setting.engine.durability, [ours])
        ])
    }
}
