import BenchmarkRows

/// A row that is listed, but waits for a feature that Cairn lacks.
struct Waiting: Workload {
    let name: String
    let title: String
    let about: About
    /// The missing feature, as the report describes it.
    let needs: String

    func plan(in setting: Setting) throws -> WorkloadPlan { .notYet(needs: needs) }
}

extension Waiting {
    static let batch = Waiting(
        name: "batch", title: "insert, update and delete many rows without objects",
        about: About(
            goal: "SQLite ≤ 1.1 of the same statements",
            heldFixed: "all items inserted; a value of all set; all deleted",
            varied: "C runs one statement each; Cairn batch requests"),
        needs: "batch requests")
}
