/// The list of rows for `--list`.
enum RowList {
    /// Returns the names of the rows for `--workload`, with their titles.
    static func text(of rows: [any Workload<Setting>], showsGoals: Bool) -> String {
        rows.map { row in
            let name = row.name + String(repeating: " ", count: max(1, 18 - row.name.count))
            let goal = showsGoals ? "\n" + String(repeating: " ", count: 18) + row.about.goal : ""
            return name + row.title + goal
        }.joined(separator: "\n")
    }
}
