import Cairn

/// Predicates through relationships.
struct RelatedPredicates: Workload {
    let name = "related"
    let title = "predicates through relationships"
    let about = About(
        goal: """
            LMDB and rows in memory: no more than twice what C takes over the same tables; no engine \
            slower than SQLite
            """,
        heldFixed: """
            how many objects match, and for one folder their values; nothing compared is indexed, \
            apart from the to-one itself
            """,
        varied: """
            SQLite takes a sub-select; C marks the matching folders, looks at each item once and counts \
            no members; where the items of one folder are read it is told the key; Cairn takes the \
            predicate as text; GRDB joins or counts by an association
            """,
        rest: """
            half of all: the to-one's key is looked up in a set of bits, by a closure for each \
            row, where C's compiler sees the whole loop
            """)

    func plan(in setting: Setting) throws -> WorkloadPlan {
        .contests([
            try oneFolder(setting), try manyFolders(setting), try anyItem(setting),
            try itemCount(setting),
        ])
    }

    /// A to-one relationship with few matches: the values of the items in one folder.
    private func oneFolder(_ setting: Setting) throws -> Contest {
        let folder = setting.groupCount - 1
        let ours = try setting.ours(goal: setting.goal(.ratio(2), on: .lmdb)) { context in
            var watch = Stopwatch()
            let items: [Item] = try watch.time {
                try context.fetch(
                    FetchRequest<Item>("Item", where: "folder.name == %@", "folder \(folder)"))
            }
            return Sample(watch, rows: items)
        }
        return Contest(part: "to-one, one folder", unit: "match", [ours])
    }

    /// A to-one relationship with many matches: the number of items in half of the folders.
    private func manyFolders(_ setting: Setting) throws -> Contest {
        try contest(setting, "to-one, half of all", "Item", "folder.name >= 'folder 5'")
    }

    /// A to-many relationship: the number of folders that contain one of the last items.
    private func anyItem(_ setting: Setting) throws -> Contest {
        try contest(setting, "ANY", "Folder", "ANY items.number >= \(setting.size - 30)")
    }

    /// The number of matching members: a subquery for every folder.
    private func itemCount(_ setting: Setting) throws -> Contest {
        try contest(
            setting, "SUBQUERY", "Folder", "SUBQUERY(items, $i, $i.number >= 0).@count > 0")
    }

    private func contest(
        _ setting: Setting, _ part: String, _ entity: String, _ predicate: String
    ) throws -> Contest {
        let size = setting.size
        // SQLite's own subselect never reads the row of an item.
        let goal: Goal? = setting.isSQLite ? nil : .ratio(2)
        let ours = try setting.ours(goal: goal) { context in
            var watch = Stopwatch()
            let count = try watch.time {
                try context.count(for: FetchRequest<ManagedObject>(entity, where: predicate))
            }
            return Sample(
                watch, operations: size, checksum: RowChecksum(keys: [Int64(count)]).value)
        }
        return Contest(part: part, unit: "item", [ours])
    }
}
