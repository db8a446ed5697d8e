import BenchmarkKit

/// A row that has its place and waits for what Cairn cannot do yet.
struct Waiting: Workload {
    let name: String
    let title: String
    let about: About
    /// What is missing, as the report says it.
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
    static let migrateInPlace = migration(
        "in-place", "where it is", heldFixed: "an attribute added to the items",
        varied: "C alters the table")
    static let migrateCopying = migration(
        "copying", "by copying it", heldFixed: "an attribute of the items split in two",
        varied: "C copies the rows")

    private static func migration(
        _ name: String, _ how: String, heldFixed: String, varied: String
    ) -> Waiting {
        Waiting(
            name: "migrate-\(name)", title: "migrate a store \(how)",
            about: About(goal: "looked at, not set", heldFixed: heldFixed, varied: varied),
            needs: "migration of stores")
    }
}
