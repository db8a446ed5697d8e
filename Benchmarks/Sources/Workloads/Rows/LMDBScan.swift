import BenchmarkRows
import Cairn

/// Row N.
struct LMDBScan: Workload {
    let name = "N"
    let title = "LMDB: fetch all"
    let about = About(
        goal: "lazily ≤ 1.2, realised ≤ 2.6 of copying the rows out of the map",
        heldFixed: """
            all items in the order of their keys, from a warm map; each row's seal is checked
            """,
        varied: """
            C walks a cursor, checks seals and copies; Cairn answers with rows, or makes one \
            uniqued object a row
            """,
        rest: """
            the structure of each row is checked, which C leaves out; a realised row also makes \
            its object
            """)

    func plan(in setting: Setting) throws -> WorkloadPlan {
        guard setting.engine == .lmdb else {
            return .notApplicable(
                because: "the row is about LMDB; another row measures every engine")
        }
        let scan = try setting.lmdb("C: cursor, seal, copy") { try $0.scan() }
        let lazy = try setting.ours("Cairn, lazily", goal: .ratio(1.2)) { context in
            var watch = Stopwatch()
            let results: FetchResults<Item> = try watch.time {
                try context.fetch(FetchRequest<Item>())
            }
            return Sample(watch, rows: results)
        }
        let realised = try setting.ours("Cairn, realised", goal: .ratio(2.6)) { context in
            var watch = Stopwatch()
            let items = try watch.time { try context.allItems() }
            return Sample(watch, rows: items)
        }
        return .contests([Contest(unit: "row", scan + [lazy, realised])])
    }
}
