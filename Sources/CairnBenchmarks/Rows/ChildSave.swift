import Cairn

/// Changes that reach the store through a parent context.
struct ChildSave: Workload {
    let name = "child-save"
    let title = "save a child context, and its parent"
    let about = About(
        goal: "looked at, not set",
        heldFixed: """
            price and title of 10,000 items, which were read before in the context that changes \
            them; what the file holds afterwards is read back and compared
            """,
        varied: """
            a context on the store changes and saves; a child changes and saves into its parent, \
            then the parent saves
            """)

    func plan(in setting: Setting) throws -> WorkloadPlan {
        let edit = Edit(setting)
        let directly = Contender("Cairn, directly", .baseline) {
            try setting.changing(.items) { stack in
                let watch = try Self.change(edit, in: stack.container.newBackgroundContext())
                return Sample(watch, operations: edit.indices.count, checksum: 0)
            }
        }
        let through = Contender("Cairn, through a child", .ours) {
            try setting.changing(.items) { stack in
                let parent = stack.container.newBackgroundContext()
                let inChild = try Self.change(edit, in: ContextHandle(parent: parent))
                let watch = try parent.performAndWait { context in
                    var watch = inChild
                    try watch.time { try context.save() }
                    return watch
                }
                return Sample(watch, operations: edit.indices.count, checksum: 0)
            }
        }
        return .contests([
            Contest(unit: "object", durability: setting.engine.durability, [directly, through])
        ])
    }

    private static func change(_ edit: Edit, in handle: ContextHandle) throws -> Stopwatch {
        try handle.performAndWait { context in
            let items = try edit.items(in: context)
            var watch = Stopwatch()
            try watch.time {
                edit.apply(to: items)
                try context.save()
            }
            return watch
        }
    }
}
