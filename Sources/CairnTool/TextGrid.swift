import TextTable

/// A plain table for a terminal.
struct TextGrid {
    let headings: [String]
    /// The indexes of the columns whose cells are numbers.
    var rightAligned: Set<Int> = []

    /// Returns a line of headings, followed by a line for each row.
    func text(of rows: [[String]]) -> String {
        let table = TextTable<[String]> { row in
            headings.indices.map { index in
                Column(
                    title: headings[index], value: row[index],
                    align: rightAligned.contains(index) ? .right : .left)
            }
        }
        // The library takes the columns from the first row, so a table without rows is written here.
        return rows.isEmpty
            ? headings.joined(separator: "  ") + "\n(none)"
            : table.string(for: rows, style: Style.psql) ?? ""
    }
}
