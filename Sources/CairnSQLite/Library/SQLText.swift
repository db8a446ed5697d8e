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
    fileprivate var isLetterOrDigit: Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
            || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self)
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self)
    }
}
