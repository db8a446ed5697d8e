import Cairn

/// Growth: adding a member to a large relationship.
struct GrowMember: Workload {
    let name = "grow-member"
    let title = "add one member to a relationship of all objects, and save"
    let about = About(
        goal: "does not grow with the relationship",
        heldFixed: """
            one folder that holds all items, its members known; 20 new items, a save for each (3 \
            in engines that write a whole file)
            """,
        varied: """
            C inserts the row in a transaction; Cairn inserts an object into the set and saves
            """)

    func plan(in setting: Setting) throws -> WorkloadPlan {
        let values = setting.newItems(setting.saveCount(20))
        let ours = Contender("Cairn", .ours) {
            try setting.changing(.oneFolder) { stack in
                try stack.inContext { context in
                    let folders: [Folder] = try context.fetch(FetchRequest<Folder>())
                    let members = try folders[0].objects("items", as: Item.self)
                    _ = members.count
                    var watch = Stopwatch()
                    for value in values {
                        try watch.time {
                            let item = try context.insert(Item.self)
                            item.setAttributes(value)
                            try members.insert(item)
                            try context.save()
                        }
                    }
                    return Sample(watch, operations: values.count, checksum: 0)
                }
            }
        }
        return .contests([
            Contest(
                unit: "save", durability: setting.engine.durability, [ours])
        ])
    }
}
