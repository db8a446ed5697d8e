import BenchmarkRows
import Cairn

/// Row O.
struct LMDBGet: Workload {
    let name = "O"
    let title = "LMDB: get one object"
    let about = About(
        goal: "≤ 1.7 of a get",
        heldFixed: """
            2,000 items whose keys jump about, no row cached, from a warm map; each row's seal is \
            checked
            """,
        varied: """
            C gets, checks and copies in one read transaction; Cairn reads an attribute of a \
            fault, every time a read of its own
            """,
        rest: """
            the way through context, coordinator and row cache, and three locks
            """)

    private static let count = 2_000

    func plan(in setting: Setting) throws -> WorkloadPlan {
        guard setting.engine == .lmdb else {
            return .notApplicable(
                because: "the row is about LMDB; another row measures every engine")
        }
        let places = setting.someIndices(Self.count)
        let keys = places.map { Int64($0) + 1 }
        let get = try setting.lmdb("C: get, seal, copy") { try $0.items(byKeys: keys) }
        let ours = Contender("Cairn", .ours, goal: .ratio(1.7)) {
            try setting.firingFaults(at: places) { faults, _ in
                for fault in faults { _ = fault.number }
            }
        }
        return .contests([Contest(unit: "object", get + [ours])])
    }
}
