/// A name in a database: of a table, a column, an index or a trigger.
///
/// Its description is the name as SQL text takes it, so that a name can only be spliced quoted.
struct SQLName: Sendable, Hashable, CustomStringConvertible {
    /// The name itself.
    let text: String

    init(_ text: String) { self.text = text }

    /// Quoted, unless it is plain; Core Data writes plain names without quotes, and a schema is
    /// compared by its text.
    var description: String { isPlain ? text : quoted }

    /// Within double quotes, those inside doubled.
    var quoted: String {
        let hasQuotes = text.utf8.contains(UInt8(ascii: "\""))
        return "\"" + (hasQuotes ? text.replacing("\"", with: "\"\"") : text) + "\""
    }

    /// Whether it is made of ASCII letters, digits and `_` and begins as no SQL keyword does.
    private var isPlain: Bool {
        // No keyword of SQLite begins with Z or has an underscore after its first letter.
        let beginsWithZ = text.utf8.first == UInt8(ascii: "Z")
        return (beginsWithZ || text.utf8.first == UInt8(ascii: "A"))
            && text.utf8.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "_") }
            && (beginsWithZ || !Self.keywordsWithA.contains(text.uppercased()))
    }

    private static let keywordsWithA: Set<String> = [
        "ABORT", "ACTION", "ADD", "AFTER", "ALL", "ALTER", "ALWAYS", "ANALYZE", "AND", "AS", "ASC",
        "ATTACH", "AUTOINCREMENT",
    ]
}

extension UInt8 {
    fileprivate var isLetterOrDigit: Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
            || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self)
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self)
    }
}
