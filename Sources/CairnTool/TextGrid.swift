import Cairn
import TextTable

/// A plain table for a terminal.
struct TextGrid {
    let headings: [String]
    /// The indices of the columns whose cells are numbers.
    var rightAligned: Set<Int> = []

    /// Returns a line of headings, followed by the rows. Line breaks in cells are replaced.
    func text(of rows: [[String]]) -> String {
        let table = TextTable<[String]> { row in
            headings.indices.map { index in
                Column(
                    title: headings[index], value: VisibleText.line(row[index]),
                    align: rightAligned.contains(index) ? .right : .left)
            }
        }
        // The library finds its columns from the first row, so an empty table is written here.
        return rows.isEmpty
            ? headings.joined(separator: "  ") + "\n(none)"
            : table.string(for: rows, style: Style.psql) ?? ""
    }
}
