import Cairn
import Foundation

/// Opening a store.
struct OpenCold: Workload {
    let name = "open"
    let title = "open a store and read its first object"
    let about = About(
        goal: "SQLite ≤ 2.5, LMDB ≤ 3 of opening a connection and reading a row",
        heldFixed: """
            a closed store of all items, its file in the page cache; the model is compiled; \
            opening, the first of all items, closing
            """,
        varied: """
            C opens a connection and steps once, or reads the whole file; Cairn opens a coordinator's store, makes a \
            context and fetches one object; GRDB opens a pool
            """,
        rest: """
            SQLite: a second connection, which sees the commits of other processes, the columns of \
            all tables, and some 150 system calls. LMDB: the file is opened for writing, for which \
            LMDB clears 2 MB, and C opens it for reading. Both: layouts, a context and its fetch
            """)

    func plan(in setting: Setting) throws -> WorkloadPlan {
        guard setting.engine.isDurable else {
            return .notApplicable(
                because: "a store in memory is empty when it is opened")
        }
        let url = try setting.itemsURL()
        let ours = Contender("Cairn", .ours, goal: setting.ratioGoal(2.5, lmdb: 3)) {
            var watch = Stopwatch()
            let checksum = try watch.time {
                let stack = try setting.shelf.open(setting.engine, at: url)
                let digest = try stack.inContext { context in
                    var request = FetchRequest<Item>()
                    request.fetchLimit = 1
                    let items: [Item] = try context.fetch(request)
                    return RowChecksum(items.lazy.map(\.digest)).value
                }
                try stack.close()
                return digest
            }
            return Sample(watch, operations: 1, checksum: checksum)
        }
        return .contests([Contest(unit: "opening", headline: .open, [ours])])
    }
}
