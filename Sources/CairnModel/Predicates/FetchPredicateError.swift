import Foundation

/// The reason that a predicate cannot be read, bound to an entity, or evaluated.
public enum FetchPredicateError: Error, Sendable, Equatable {
    /// The text is not a valid predicate. `position` counts characters from 0.
    case syntax(text: String, position: Int, found: String, expected: String)
    /// Parts of the predicate are nested deeper than `FetchPredicate.depthLimit`.
    case tooDeep(limit: Int)
    /// The number of arguments differs from the number of placeholders in the text.
    case wrongArgumentCount(text: String, placeholders: Int, arguments: Int)
    /// An argument has the wrong type for its placeholder. `index` counts from 0.
    case wrongArgument(index: Int, placeholder: String, expected: String)
    /// The variable `$NAME` has no value and is not defined by an enclosing subquery.
    case unsetVariable(String)
    /// The value given for the variable `$NAME` has a type that predicates cannot compare.
    case unsupportedVariableValue(String, found: String)
    /// The entity has no property with this name. `nearest` is the most similar name, if there is one.
    case unknownKey(String, entity: String, nearest: String?)
    /// The attribute or relationship is transient, so stores do not contain its values.
    case transientKey(String, entity: String)
    /// The two sides cannot be compared with this operator, or an argument has the wrong type.
    case typeMismatch(expression: String, detail: String)
    /// The text after `MATCHES` is not a valid regular expression in ICU syntax. The associated value is the
    /// text.
    case invalidRegularExpression(String)
    /// Matching a regular expression or a pattern of `LIKE` against a value took more than `stepLimit` steps,
    /// so it is unknown whether the value matches. See `TextExpression`.
    case matchingLimit(pattern: String, stepLimit: Int)
    /// Cairn does not evaluate this form of predicate. `advice` says what to write instead.
    case unsupported(expression: String, advice: String)
}

extension FetchPredicateError: CustomStringConvertible {
    /// A description of the problem, its location, and what to write instead. Contains the text of the
    /// predicate, but no stored values.
    public var description: String {
        switch self {
        case .syntax(let text, let position, let found, let expected):
            "The predicate has a syntax error at character \(position): found \(found), but expected"
                + " \(expected).\n\(Self.excerpt(of: text, around: position))"
        case .tooDeep(let limit):
            "The predicate is nested deeper than \(limit) levels."
                + " Write long lists with IN, and chains of AND or OR without parentheses."
        case .wrongArgumentCount(let text, let placeholders, let arguments):
            "The predicate “\(Self.beginning(of: text))” has \(placeholders.counted("placeholder")), but"
                + " was given \(arguments.counted("argument")). Pass one argument for each placeholder."
        case .wrongArgument(let index, let placeholder, let expected):
            "Argument \(index + 1) of the predicate has the wrong type for its placeholder"
                + " \(placeholder), which needs \(expected)."
        case .unsetVariable(let name):
            "The predicate's variable $\(name) has no value."
                + " Set it with substituting(variables:)."
        case .unsupportedVariableValue(let name, let found):
            "The predicate's variable $\(name) was given a value of type \(found), which predicates"
                + " cannot compare. Pass a value of an attribute's type, a managed object, an object ID,"
                + " or a collection of these."
        case .unknownKey(let key, let entity, let nearest):
            "\(entity) has no property “\(key)”."
                + (nearest.map { " Did you mean “\($0)”?" } ?? "")
        case .transientKey(let key, let entity):
            "\(entity).\(key) is transient, so stores do not contain it, and a predicate or a sort"
                + " descriptor cannot use it. Filter or sort the fetched objects instead, or make the"
                + " property persistent."
        case .typeMismatch(let expression, let detail):
            "The expression “\(Self.beginning(of: expression))” is not valid: \(detail)."
        case .invalidRegularExpression(let pattern):
            "The regular expression “\(Self.beginning(of: pattern))” is not valid. Check its brackets"
                + " and escapes."
        case .matchingLimit(let pattern, let stepLimit):
            "Matching one value against the pattern “\(Self.beginning(of: pattern))” takes more than"
                + " \(stepLimit) steps. Change the pattern so that a string can match in only one way,"
                + " without a repetition within a repetition."
        case .unsupported(let expression, let advice):
            "“\(Self.beginning(of: expression))” is not supported. \(advice)"
        }
    }

    /// Returns the text around the character at fault, with a caret under that character.
    private static func excerpt(of text: String, around position: Int) -> String {
        let fault = text.index(text.startIndex, offsetBy: position, limitedBy: text.endIndex)
        let before = text[..<(fault ?? text.endIndex)]
        let lineStart = before.lastIndex(where: \.isNewline).map(text.index(after:))
        let line = before[(lineStart ?? text.startIndex)...]
        let shown = line.suffix(60)
        let rest = text[before.endIndex...].prefix { !$0.isNewline }
        let prefix = shown.startIndex == line.startIndex ? "" : "…"
        let suffix = rest.count > 60 ? "…" : ""
        return "    \(prefix)\(shown)\(rest.prefix(60))\(suffix)\n    "
            + String(repeating: " ", count: prefix.count + shown.count) + "^"
    }

    /// Returns the text, or only its beginning if it is long. A predicate may be a megabyte long.
    private static func beginning(of text: String) -> String {
        text.utf8.count <= 200 ? text : text.prefix(100) + "…"
    }
}

extension FetchPredicateError: LocalizedError {
    /// The ``description``, which `localizedDescription` returns as well.
    public var errorDescription: String? { description }
}
