import BenchmarkRows
import Cairn
import Foundation

/// Row Q.
struct BinaryFile: Workload {
    let name = "Q"
    let title = "Binary: load and save a whole file"
    let about = About(
        goal: "load ≤ 3.5 of reading the file, save ≤ 2 of writing it",
        heldFixed: """
            a store of all items; both check or make the file's checksum; a save is written beside \
            the file, synced, renamed, the folder synced
            """,
        varied: """
            C reads or writes the bytes; Cairn opens the store and answers with all rows, or saves \
            one changed object; property-list coders read and write the same values as structs
            """,
        rest: """
            loading checks and copies each row and makes the table; a save frees the old file's \
            pages, where C writes a new file
            """)

    func plan(in setting: Setting) throws -> WorkloadPlan {
        guard setting.engine == .binary else {
            return .notApplicable(
                because: "the row is about the file of a Binary store")
        }
        return .contests([try load(setting), try save(setting)])
    }

    private func load(_ setting: Setting) throws -> Contest {
        let url = try setting.itemsURL()
        let baseline = Contender("C: read, checksum", .baseline) {
            var watch = Stopwatch()
            let file = try watch.time { try BinaryBaseline(reading: url) }
            return Sample(watch, operations: setting.size, checksum: file.checksum)
        }
        let ours = try WholeFile.loading(setting, goal: .ratio(3.5))
        let coder = try PropertyListPeer(setting)
        return Contest(part: "load", unit: "object", [baseline, ours, coder.loading()])
    }

    private func save(_ setting: Setting) throws -> Contest {
        let edit = Edit(setting, count: 1)
        let ours = WholeFile.saving(setting, goal: .ratio(2)) { edit.apply(to: [$0]) }
        let shelf = setting.shelf
        // The bytes that such a save writes.
        let saved = try shelf.template("binary-edited-\(setting.size)") { url in
            try FileManager.default.copyItem(at: try setting.itemsURL(), to: url)
            let stack = try MeasuredStack(.binary, at: url)
            try stack.inContext { context in
                edit.apply(to: try edit.items(in: context))
                try context.save()
            }
            try stack.close()
        }
        let file = try BinaryBaseline(reading: saved)
        let baseline = Contender("C: checksum, write, fsync, rename", .baseline) {
            let copy = try shelf.fresh()
            defer { shelf.discard(copy) }
            var watch = Stopwatch()
            try watch.time { try file.write(to: copy) }
            return Sample(
                watch, operations: setting.size, checksum: try shelf.checksum(of: copy, .binary),
                fileBytes: shelf.byteCount(of: copy))
        }
        return Contest(
            part: "save", unit: "object", durability: setting.engine.durability, [baseline, ours])
    }
}
