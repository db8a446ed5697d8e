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
    static let childSave = Waiting(
        name: "child-save", title: "save a child context into its parent",
        about: About(
            goal: "looked at, not set",
            heldFixed: "10,000 changed items; the parent is saved, too",
            varied: "directly, and through a child"),
        needs: "child contexts")
    static let merge = Waiting(
        name: "merge", title: "merge the changes of another context",
        about: About(
            goal: "looked at, not set",
            heldFixed: "10,000 items that another context saved, registered in this one",
            varied: "as faults, and realised"),
        needs: "merging of changes that another context saved")
    static let batch = Waiting(
        name: "batch", title: "insert, update and delete many rows without objects",
        about: About(
            goal: "SQLite ≤ 1.1 of the same statements",
            heldFixed: "all items inserted; a value of all set; all deleted",
            varied: "C runs one statement each; Cairn batch requests"),
        needs: "batch requests")
    static let migrateInPlace = Waiting(
        name: "migrate-in-place", title: "migrate a store where it is",
        about: About(
            goal: "looked at, not set", heldFixed: "an attribute added to the items",
            varied: "C alters the table"),
        needs: "migration of stores")
    static let migrateCopying = Waiting(
        name: "migrate-copying", title: "migrate a store by copying it",
        about: About(
            goal: "looked at, not set", heldFixed: "an attribute of the items split in two",
            varied: "C copies the rows"),
        needs: "migration of stores")
}
