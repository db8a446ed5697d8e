/// The name of a table, column, index or trigger.
///
/// `description` is the name as it appears in SQL text, so a name that needs quotes can only be
/// inserted with quotes.
package struct SQLName: Sendable, Hashable, CustomStringConvertible {
    /// The unquoted name.
    package let text: String
    private let isAlwaysQuoted: Bool

    /// Creates a name that has quotes in SQL text if SQLite needs them.
    package init(_ text: String) { (self.text, isAlwaysQuoted) = (text, false) }

    /// Creates a name that always has quotes in SQL text. Other databases turn names without quotes into lower case.
    package init(quoting text: String) { (self.text, isAlwaysQuoted) = (text, true) }

    /// The name, in quotes if it needs them. Core Data writes plain names without quotes, and
    /// schemas are compared by their text.
    package var description: String { isPlain && !isAlwaysQuoted ? text : quoted }

    /// The name in double quotes. Double quotes inside the name are doubled.
    package var quoted: String {
        let hasQuotes = text.utf8.contains(UInt8(ascii: "\""))
        return "\"" + (hasQuotes ? text.replacing("\"", with: "\"\"") : text) + "\""
    }

    /// Whether the name needs no quotes: it consists of ASCII letters, digits and `_`, begins with
    /// Z or A, and is not a keyword.
    private var isPlain: Bool {
        // No SQLite keyword begins with Z or contains an underscore after its first letter.
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
