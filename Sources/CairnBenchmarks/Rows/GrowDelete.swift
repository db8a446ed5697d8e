import Cairn

/// Growth: deleting everything in one save.
struct GrowDelete: Workload {
    let name = "grow-delete"
    let title = "delete all objects in one save"
    let about = About(
        goal: "each object costs as much, however many are deleted",
        heldFixed: """
            all items, read before, deleted one by one and saved once; versions are checked
            """,
        varied: """
            C deletes by key in one transaction; Cairn takes each out of its folder's members, \
            validates and saves
            """)

    func plan(in setting: Setting) throws -> WorkloadPlan {
        let ours = Contender("Cairn", .ours) {
            try setting.changing(.items) { stack in
                try stack.inContext { context in
                    let items = try context.allItems()
                    var watch = Stopwatch()
                    try watch.time {
                        for item in items { try context.delete(item) }
                        try context.save()
                    }
                    return Sample(watch, operations: items.count, checksum: 0)
                }
            }
        }
        return .contests([
            Contest(
                unit: "object", durability: setting.engine.durability, [ours])
        ])
    }
}
