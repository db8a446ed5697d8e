import Baselines
import BenchmarkRows
import Cairn

/// Row D.
struct ReadScalar: Workload {
    let name = "D"
    let title = "read a scalar attribute"
    let about = About(
        goal: "≤ 2.5 of a stored property over all objects, ≤ 1.5 of the same object again",
        heldFixed: """
            an Int64 of realised objects in an array, read as often as there are objects; a call \
            into C between two reads of the same object, so that each is made
            """,
        varied: """
            a plain class's stored property; Cairn's accessor, which checks the turn and for a fault
            """,
        rest: """
            a cache miss for the row's bytes, the check that the thread is in the context's turn, \
            and the value's place and kind
            """)

    func plan(in setting: Setting) throws -> WorkloadPlan {
        guard setting.isSQLite else {
            return .notApplicable(
                because: "objects are the same whatever engine their rows are from")
        }
        let plain = PlainItem.all(setting.shelf.values(setting.size))
        let size = setting.size
        let overAll = [
            Contender("stored property", .baseline) { Self.sum(plain) },
            try setting.ours(goal: .ratio(2.5)) { Self.sum(try $0.allItems()) },
        ]
        let again = [
            Contender("stored property", .baseline) { Self.sum(plain[size / 2], times: size) },
            try setting.ours(goal: .ratio(1.5)) { context in
                Self.sum(try context.allItems()[size / 2], times: size)
            },
        ]
        return .contests([
            Contest(part: "over all objects", unit: "read", overAll),
            Contest(part: "same object again", unit: "read", again),
        ])
    }

    // A separate function for each class, so that the optimizer knows which property it reads.

    @inline(never)
    private static func sum(_ items: [PlainItem]) -> Sample {
        var watch = Stopwatch()
        var sum: Int64 = 0
        watch.time { for item in items { sum = sum &* 3 &+ item.number } }
        return Sample(watch, operations: items.count, checksum: UInt64(bitPattern: sum))
    }

    @inline(never)
    private static func sum(_ items: [Item]) -> Sample {
        var watch = Stopwatch()
        var sum: Int64 = 0
        watch.time { for item in items { sum = sum &* 3 &+ item.number } }
        return Sample(watch, operations: items.count, checksum: UInt64(bitPattern: sum))
    }

    @inline(never)
    private static func sum(_ item: PlainItem, times: Int) -> Sample {
        var watch = Stopwatch()
        var sum: Int64 = 0
        watch.time {
            for _ in 0..<times {
                bl_barrier()
                sum = sum &* 3 &+ item.number
            }
        }
        return Sample(watch, operations: times, checksum: UInt64(bitPattern: sum))
    }

    @inline(never)
    private static func sum(_ item: Item, times: Int) -> Sample {
        var watch = Stopwatch()
        var sum: Int64 = 0
        watch.time {
            for _ in 0..<times {
                bl_barrier()
                sum = sum &* 3 &+ item.number
            }
        }
        return Sample(watch, operations: times, checksum: UInt64(bitPattern: sum))
    }
}
