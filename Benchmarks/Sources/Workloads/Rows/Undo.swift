import BenchmarkRows
import Cairn

/// Changes with and without an undo manager.
struct Undo: Workload {
    let name = "undo"
    let title = "change 10,000 objects without and with an undo manager"
    let about = About(
        goal: "looked at, not set",
        heldFixed: """
            price and title of 10,000 items that were read before; the event is ended; nothing is \
            saved
            """,
        varied: """
            without an undo manager, with one; with one and undone, after which all is as before
            """)

    func plan(in setting: Setting) throws -> WorkloadPlan {
        guard setting.isSQLite else {
            return .notApplicable(
                because:
                    "undoing changes objects, which are the same whatever engine their rows are from"
            )
        }
        let edit = Edit(setting)
        let without = try setting.ours("Cairn, without") { context in
            try Self.change(edit, in: context)
        }
        let with = try setting.ours("Cairn, with") { context in
            context.undoManager = UndoManager()
            return try Self.change(edit, in: context)
        }
        let undone = try setting.ours("Cairn, undone") { context in
            try GrowUndo.undoing(edit, in: context)
        }
        return .contests([
            Contest(part: "changing", unit: "object", [without, with]),
            Contest(part: "undoing", unit: "object", [undone]),
        ])
    }

    private static func change(_ edit: Edit, in context: ManagedObjectContext) throws -> Sample {
        let items = try edit.items(in: context)
        var watch = Stopwatch()
        watch.time {
            edit.apply(to: items)
            context.processPendingChanges()
        }
        let sample = Sample(watch, rows: items)
        context.undoManager = nil
        context.rollback()
        return sample
    }
}
