import BenchmarkRows
import Cairn

/// Row E.
struct ReadString: Workload {
    let name = "E"
    let title = "read a String attribute"
    let about = About(
        goal: "first ≤ 3.5 of a stored property, repeated ≤ 1.3",
        heldFixed: "the length of a text of 10 to 40 bytes, of every realised object of an array",
        varied: """
            a plain class's stored property; Cairn's accessor, which makes the String of the row's \
            bytes
            """,
        rest: """
            making a String of the row's bytes and freeing it: no String is kept
            """)

    func plan(in setting: Setting) throws -> WorkloadPlan {
        guard setting.isSQLite else {
            return .notApplicable(
                because: "objects are the same whatever engine their rows are from")
        }
        let plain = PlainItem.all(setting.shelf.values(setting.size))
        let baseline = Contender("stored property", .baseline) { Self.read(plain) }
        let first = try setting.ours(goal: .ratio(3.5)) { Self.read(try $0.allItems()) }
        let repeated = try setting.ours(goal: .ratio(1.3)) { context in
            let items = try context.allItems()
            _ = Self.read(items)
            return Self.read(items)
        }
        return .contests([
            Contest(part: "first", unit: "read", [baseline, first]),
            Contest(part: "repeated", unit: "read", [baseline, repeated]),
        ])
    }

    @inline(never)
    private static func read(_ items: [PlainItem]) -> Sample {
        var watch = Stopwatch()
        var sum = 0
        watch.time { for item in items { sum = sum &* 3 &+ item.title.utf8.count } }
        return Sample(watch, operations: items.count, checksum: UInt64(bitPattern: Int64(sum)))
    }

    @inline(never)
    private static func read(_ items: [Item]) -> Sample {
        var watch = Stopwatch()
        var sum = 0
        watch.time { for item in items { sum = sum &* 3 &+ item.title.utf8.count } }
        return Sample(watch, operations: items.count, checksum: UInt64(bitPattern: Int64(sum)))
    }
}
