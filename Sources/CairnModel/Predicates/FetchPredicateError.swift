import Foundation

/// Why a predicate could not be read, or does not fit the entity it was bound to.
public enum FetchPredicateError: Error, Sendable, Equatable {
    /// The text is not a predicate. `position` counts characters from 0.
    case syntax(text: String, position: Int, found: String, expected: String)
    /// Parts are nested deeper than ``FetchPredicate/depthLimit``.
    case tooDeep(limit: Int)
    /// The text has another number of placeholders than arguments were given.
    case wrongArgumentCount(text: String, placeholders: Int, arguments: Int)
    /// An argument does not suit its placeholder. `index` counts from 0.
    case wrongArgument(index: Int, placeholder: String, expected: String)
    /// A `$NAME` that no value was given for and no enclosing subquery binds.
    case unsetVariable(String)
    /// The entity has no property of this name. `nearest` is the most similar one it has.
    case unknownKey(String, entity: String, nearest: String?)
    /// The attribute or relationship lives in memory only, so no store can look at it.
    case transientKey(String, entity: String)
    /// The sides cannot be compared so, or an argument has the wrong type.
    case typeMismatch(expression: String, detail: String)
    /// A regular expression that cannot be compiled.
    case invalidRegularExpression(String)
    /// A form of predicate that Cairn does not evaluate; `advice` says what to write instead.
    case unsupported(expression: String, advice: String)
}

extension FetchPredicateError: CustomStringConvertible {
    /// What is wrong with the predicate, where, and what to write instead. Shows the predicate's
    /// own text, never a stored value.
    public var description: String {
        switch self {
        case .syntax(let text, let position, let found, let expected):
            "The predicate does not parse at character \(position): found \(found), expected"
                + " \(expected).\n    \(text)\n    \(Self.marker(in: text, at: position))"
        case .tooDeep(let limit):
            "The predicate is nested deeper than \(limit) levels."
                + " Write long lists with IN, and chains of AND or OR without parentheses."
        case .wrongArgumentCount(let text, let placeholders, let arguments):
            "The predicate “\(text)” has \(placeholders) placeholders and was given"
                + " \(arguments) arguments. Give one argument for each placeholder."
        case .wrongArgument(let index, let placeholder, let expected):
            "Argument \(index + 1) of the predicate does not suit its placeholder"
                + " \(placeholder), which takes \(expected)."
        case .unsetVariable(let name):
            "The predicate's variable $\(name) has no value."
                + " Fill it in with substituting(variables:)."
        case .unknownKey(let key, let entity, let nearest):
            "\(entity) has no property “\(key)”."
                + (nearest.map { " Did you mean “\($0)”?" } ?? "")
        case .transientKey(let key, let entity):
            "\(entity).\(key) is transient: stores do not keep it, so a predicate or a sort cannot"
                + " use it. Filter the fetched objects instead, or make it persistent."
        case .typeMismatch(let expression, let detail):
            "The predicate compares what does not go together in “\(expression)”: \(detail)."
        case .invalidRegularExpression(let pattern):
            "The regular expression “\(pattern)” does not compile. Check its brackets and escapes."
        case .unsupported(let expression, let advice):
            "“\(expression)” is not supported. \(advice)"
        }
    }

    /// A caret under the character at fault; the text is one line there, as the parser reads it.
    private static func marker(in text: String, at position: Int) -> String {
        let lineStart = text.prefix(position).lastIndex(where: \.isNewline)
        let column = text.prefix(position).distance(
            from: lineStart.map { text.index(after: $0) } ?? text.startIndex,
            to: text.prefix(position).endIndex)
        return String(repeating: " ", count: column) + "^"
    }
}

extension FetchPredicateError: LocalizedError {
    /// The ``description``, which `localizedDescription` returns as well.
    public var errorDescription: String? { description }
}
