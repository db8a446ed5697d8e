import TextTable

/// A plain table for a terminal.
struct TextGrid {
    let headings: [String]
    /// Columns, from 0, whose cells are numbers.
    var rightAligned: Set<Int> = []

    /// Returns the rows as lines under a line of headings.
    func text(of rows: [[String]]) -> String {
        let table = TextTable<[String]> { row in
            headings.indices.map { index in
                Column(
                    title: headings[index], value: row[index],
                    align: rightAligned.contains(index) ? .right : .left)
            }
        }
        // The library asks a first row for its columns, so a table of none is ours to write.
        return rows.isEmpty
            ? headings.joined(separator: "  ") + "\n(none)"
            : table.string(for: rows, style: Style.psql) ?? ""
    }
}
