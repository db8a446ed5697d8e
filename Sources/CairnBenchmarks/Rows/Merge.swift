import Cairn

/// Merging changes that another context saved into a context that has the objects.
struct Merge: Workload {
    let name = "merge"
    let title = "merge the changes of another context"
    let about = About(
        goal: "looked at, not set",
        heldFixed: """
            price and title of 10,000 items that another context saved; the merging context holds \
            those items; they must show the new values afterwards
            """,
        varied: "as faults, which ask later; realised, which are fetched together")

    func plan(in setting: Setting) throws -> WorkloadPlan {
        let edit = Edit(setting)
        let kinds = [("Cairn, faults", true), ("Cairn, realised", false)]
        let contenders = kinds.map { name, isFault in
            Contender(name, .ours) {
                try setting.changing(.items) { stack in
                    try stack.inContext { context in
                        let items = try edit.items(in: context)
                        if isFault {
                            for item in items { try context.refresh(item, mergeChanges: false) }
                        }
                        let changes = try Self.change(edit, on: stack)
                        var watch = Stopwatch()
                        try watch.time { try context.mergeChanges(changes) }
                        guard zip(items, edit.titles).allSatisfy({ $0.title == $1 }) else {
                            throw MergedTooLittle()
                        }
                        return Sample(watch, operations: items.count, checksum: 0)
                    }
                }
            }
        }
        return .contests([Contest(unit: "object", contenders)])
    }

    /// Saves the edit in another context, and returns the changes that the save would report.
    private static func change(_ edit: Edit, on stack: MeasuredStack) throws -> ObjectIDChanges {
        try stack.inContext { context in
            let items = try edit.items(in: context)
            edit.apply(to: items)
            try context.save()
            var changes = ObjectIDChanges()
            changes.updated = Set(items.map(\.objectID))
            return changes
        }
    }

    private struct MergedTooLittle: Error, CustomStringConvertible {
        var description: String { "merging left old values behind: nothing can be compared" }
    }
}
