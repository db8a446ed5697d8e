import CairnStore
import Foundation

/// SQL text together with the values of its parameters, in the order of their question marks.
///
/// The text can only consist of literals in this program, quoted names and bound values. A `String`
/// cannot be inserted.
///
/// ```swift
/// let condition: SQLText = "\(column) < \(bind: .integer(3))"
/// ```
struct SQLText: Sendable, Hashable, ExpressibleByStringInterpolation {
    /// The value of a parameter.
    enum Parameter: Sendable, Hashable {
        case integer(Int64)
        case real(Double)
        case text(String)
        case blob(Data)
    }

    private(set) var text: String
    private(set) var parameters: [Parameter]

    init(stringLiteral literal: StaticString) {
        text = literal.description
        parameters = []
    }

    init(stringInterpolation interpolation: Interpolation) {
        text = interpolation.text
        parameters = interpolation.parameters
    }

    struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""
        fileprivate var parameters: [Parameter] = []

        init(literalCapacity: Int, interpolationCount: Int) {}

        mutating func appendLiteral(_ literal: StaticString) { text += literal.description }

        mutating func appendInterpolation(_ other: SQLText) {
            text += other.text
            parameters += other.parameters
        }

        /// Appends the name of a table, column or alias, in quotes if it needs them.
        mutating func appendInterpolation(_ name: SQLName) { text += name.description }

        mutating func appendInterpolation(bind parameter: Parameter) {
            text += "?"
            parameters.append(parameter)
        }
    }

    /// An upper bound for the entries that the text needs on the stack of SQLite's parser.
    var parserDepth: Int {
        var stack = ParserStack()
        for byte in text.utf8 { stack.read(byte) }
        return stack.deepest
    }

    /// Returns whether SQLite's parser can read the text with a number of stack entries.
    func fitsParser(with entryCount: Int) -> Bool {
        // Every entry stands for at least one byte.
        text.utf8.count <= entryCount || parserDepth <= entryCount
    }

    /// Returns the parts, joined by a separator.
    static func joined(_ parts: some Sequence<SQLText>, by separator: StaticString) -> SQLText {
        var result: SQLText = ""
        for (index, part) in parts.enumerated() {
            if index > 0 { result.text += separator.description }
            result.text += part.text
            result.parameters += part.parameters
        }
        return result
    }

    /// Returns the parts, joined in pairs with parentheses. SQLite limits the depth of expressions,
    /// and a simple chain of operators is as deep as it is long.
    static func balanced(_ parts: ArraySlice<SQLText>, by separator: StaticString) -> SQLText {
        guard parts.count > 1, let first = parts.first else { return parts.first ?? "" }
        if parts.count == 2, let last = parts.last {
            return joined(["(", joined([first, last], by: separator), ")"], by: "")
        }
        let middle = parts.startIndex + parts.count / 2
        let halves = [
            balanced(parts[..<middle], by: separator), balanced(parts[middle...], by: separator),
        ]
        return joined(["(", joined(halves, by: separator), ")"], by: "")
    }
}

/// The stack of SQLite's parser, as it may be at most.
///
/// An entry stands for a token, or for a complete expression, list or clause. Everything between two
/// parentheses becomes one entry when the second one is read, and a list never takes more than two.
private struct ParserStack {
    /// The most entries so far.
    private(set) var deepest = 0
    private var current = 0
    /// The entries before each open parenthesis, and those before the current item of its list.
    private var open: [(outside: Int, item: Int)] = []
    /// The entries before the current item of a list.
    private var item = 0
    private var word = ""
    private var isAfterDot = false
    /// The end of the quoted name or text that is being read.
    private var quote: UInt8?

    mutating func read(_ byte: UInt8) {
        if let end = quote {
            if byte == end { quote = nil }
        } else if byte.isPartOfWord {
            if word.isEmpty { begin() }
            word.unicodeScalars.append(Unicode.Scalar(byte))
        } else {
            // The parentheses of a function are preceded by an entry for DISTINCT.
            if byte == UInt8(ascii: "("), !word.isEmpty { current += 1 }
            endWord()
            readSign(byte)
        }
        deepest = max(deepest, current)
    }

    /// Adds an entry for a name or keyword. The second part of a name shares the entry of the first.
    private mutating func begin() {
        if !isAfterDot { current += 1 }
        isAfterDot = false
    }

    /// Ends a clause, if the word is a keyword that does so. Empty clauses also take entries.
    private mutating func endWord() {
        switch word {
        case "SELECT": current += 2
        case "FROM", "WHERE": current = item + 5
        case "JOIN": current = item + 6
        case "ON": current = item + 9
        default: break
        }
        word = ""
    }

    private mutating func readSign(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\n"): break
        case UInt8(ascii: "."):
            isAfterDot = true
            // A name with a dot takes three entries until it has been read.
            deepest = max(deepest, current + 2)
        case UInt8(ascii: "("):
            open.append((current, item))
            current += 1
            item = current
        case UInt8(ascii: ")"):
            guard let last = open.popLast() else { return }
            (current, item) = (last.outside + 1, last.item)
        case UInt8(ascii: ","): current = item + 2
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            quote = byte
            begin()
        default: current += 1
        }
    }
}

extension SQLiteStatement {
    /// Binds the parameters in order, starting after the statement's first `first` parameters.
    ///
    /// - Throws: `.engineFailure`.
    func bind(_ parameters: [SQLText.Parameter], after first: Int = 0) throws(StoreError) {
        for (index, parameter) in zip((first + 1)..., parameters) {
            switch parameter {
            case .integer(let value): try bind(value, at: index)
            case .real(let value): try bind(value, at: index)
            case .text(let value): try bind(value, at: index)
            case .blob(let value): try bind(value, at: index)
            }
        }
    }
}

/// The name of a table, column, index or trigger.
///
/// `description` is the name as it appears in SQL text, so a name that needs quotes can only be
/// inserted with quotes.
struct SQLName: Sendable, Hashable, CustomStringConvertible {
    /// The unquoted name.
    let text: String

    init(_ text: String) { self.text = text }

    /// The name, in quotes if it needs them. Core Data writes plain names without quotes, and
    /// schemas are compared by their text.
    var description: String { isPlain ? text : quoted }

    /// The name in double quotes. Double quotes inside the name are doubled.
    var quoted: String {
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
    /// Whether the byte is part of a keyword, a number or a name without quotes.
    fileprivate var isPartOfWord: Bool {
        isLetterOrDigit || self == UInt8(ascii: "_") || self >= 0x80
    }

    fileprivate var isLetterOrDigit: Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
            || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self)
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self)
    }
}
