import BenchmarkRows
import Cairn

/// Growth: undoing a large group of changes.
struct GrowUndo: Workload {
    let name = "grow-undo"
    let title = "undo a group of changes to all objects"
    let about = About(
        goal: "each change costs as much, however many are undone",
        heldFixed: """
            price and title of every item changed in one group, which is undone; nothing is saved
            """,
        varied: "how many items there are")

    func plan(in setting: Setting) throws -> WorkloadPlan {
        guard setting.isSQLite else {
            return .notApplicable(
                because:
                    "undoing changes objects, which are the same whatever engine their rows are from"
            )
        }
        let edit = Edit(setting, count: setting.size)
        let ours = try setting.ours { try Self.undoing(edit, in: $0) }
        return .contests([Contest(unit: "object", [ours])])
    }

    /// Makes changes, and times only their undoing. The checksum covers the items afterwards.
    static func undoing(_ edit: Edit, in context: ManagedObjectContext) throws -> Sample {
        context.undoManager = UndoManager()
        let items = try edit.items(in: context)
        edit.apply(to: items)
        context.processPendingChanges()
        var watch = Stopwatch()
        watch.time { context.undo() }
        let sample = Sample(watch, rows: items)
        guard !items.contains(where: { $0.title.hasPrefix("another") }) else {
            throw UndoneTooLittle()
        }
        context.undoManager = nil
        context.rollback()
        return sample
    }

    private struct UndoneTooLittle: Error, CustomStringConvertible {
        var description: String { "undo left changed values behind: nothing can be compared" }
    }
}
