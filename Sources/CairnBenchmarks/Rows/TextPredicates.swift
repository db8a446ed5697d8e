import Cairn

/// Text predicates.
struct TextPredicates: Workload {
    let name = "text"
    let title = "text predicates, for each row looked at"
    let about = About(
        goal: """
            no more than twice what SQLite's own functions take, in which case and diacritics mean \
            less
            """,
        heldFixed: """
            how many titles match, on no index; the texts are ASCII, so that SQLite's LIKE and our \
            [cd] agree
            """,
        varied: """
            SQLite's instr, LIKE and comparison, in the other engines a search in the bytes of \
            each row; Cairn's operators
            """)

    func plan(in setting: Setting) throws -> WorkloadPlan {
        .contests([
            try contest(setting, "CONTAINS", "title CONTAINS 'qrs'"),
            try contest(setting, "CONTAINS[cd]", "title CONTAINS[cd] 'QRS'"),
            try contest(setting, "BEGINSWITH", "title BEGINSWITH 'ab'"),
            try contest(setting, "LIKE", "title LIKE 'a*z'"),
            try contest(setting, "MATCHES", "title MATCHES 'a.*z'"),
        ])
    }

    private func contest(
        _ setting: Setting, _ part: String, _ predicate: String
    ) throws -> Contest {
        let size = setting.size
        let ours = try setting.ours { context in
            var watch = Stopwatch()
            let count = try watch.time {
                try context.count(for: FetchRequest<Item>("Item", where: predicate))
            }
            return Sample(
                watch, operations: size, checksum: RowChecksum(keys: [Int64(count)]).value)
        }
        return Contest(part: part, unit: "row looked at", [ours])
    }
}
