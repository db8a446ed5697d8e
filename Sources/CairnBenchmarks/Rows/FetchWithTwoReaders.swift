import Cairn

/// Row two-readers: the wall-clock time of row B.
struct FetchWithTwoReaders: Workload {
    let name = "two-readers"
    let title = "fetch all, objects made when they are touched: time on the wall"
    let about = About(
        goal: "SQLite ≤ 0.65, LMDB ≤ 0.55 of C’s time on the wall, if a second processor is idle",
        heldFixed: """
            all items in the order of their keys, from a warm page cache; freeing is not timed
            """,
        varied: """
            C reads with one thread; Cairn reads with two from 50,000 rows on, if a processor is idle when the fetch \
            begins
            """,
        rest: "a processor was busy, or there are fewer than 50,000 rows")

    func plan(in setting: Setting) throws -> WorkloadPlan {
        let goal: Goal? =
            switch setting.engine {
            case .sqlite: .wallRatio(0.65)
            case .lmdb: .wallRatio(0.55)
            default: nil
            }
        return .contests([try FetchLazily.contest(in: setting, goal: goal)])
    }
}
