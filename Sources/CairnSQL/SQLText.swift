import Foundation

/// SQL text together with the values of its parameters, in the order of their question marks.
///
/// The text can only consist of literals in this program, quoted names and bound values. A `String`
/// cannot be inserted.
///
/// ```swift
/// let condition: SQLText = "\(column) < \(bind: .integer(3))"
/// ```
package struct SQLText: Sendable, Hashable, ExpressibleByStringInterpolation {
    /// The value of a parameter.
    package enum Parameter: Sendable, Hashable {
        case integer(Int64)
        case real(Double)
        case text(String)
        case blob(Data)
        case uuid(UUID)
    }

    package private(set) var text: String
    package private(set) var parameters: [Parameter]

    package init(stringLiteral literal: StaticString) {
        text = literal.description
        parameters = []
    }

    package init(stringInterpolation interpolation: Interpolation) {
        text = interpolation.text
        parameters = interpolation.parameters
    }

    package struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""
        fileprivate var parameters: [Parameter] = []

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ literal: StaticString) { text += literal.description }

        package mutating func appendInterpolation(_ other: SQLText) {
            text += other.text
            parameters += other.parameters
        }

        /// Appends the name of a table, column or alias, in quotes if it needs them.
        package mutating func appendInterpolation(_ name: SQLName) { text += name.description }

        package mutating func appendInterpolation(bind parameter: Parameter) {
            text += "?"
            parameters.append(parameter)
        }
    }

    /// Returns the parts, joined by a separator.
    package static func joined(_ parts: some Sequence<SQLText>, by separator: StaticString)
        -> SQLText
    {
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
    package static func balanced(_ parts: ArraySlice<SQLText>, by separator: StaticString)
        -> SQLText
    {
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
