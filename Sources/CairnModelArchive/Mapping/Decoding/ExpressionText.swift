import CairnModel

/// Converts between the text and the archived form of expressions in derivations and indexes.
///
/// Authors write `tags.@count` and `pages.@sum.number`, but archives contain `count:(tags)` and
/// `sum:(pages.number)`. Only the form of `count:` was observed; we assume that the others are similar.
enum ExpressionText {
    private static let summaries = [
        "count:": "@count", "sum:": "@sum", "min:": "@min", "max:": "@max", "average:": "@avg",
    ]

    /// Returns the text of an archived expression, or `nil` if its form is not supported.
    static func text(of value: ArchivedValue) -> String? {
        PredicateDecoder.expression(value).map { text($0) }
    }

    /// Returns the text of an expression, such as `canonical:(name)`, `tags.@count`, `pages.@sum.number`,
    /// `now()`, `author.name` or `SELF`.
    static func text(_ expression: FetchExpression) -> String {
        guard case .function(let name, let arguments) = expression,
            let operation = summaries[name], arguments.count == 1,
            case .keyPath(var names) = arguments[0], let last = names.last
        else { return expression.description }
        if name == "count:" { return (names + [operation]).joined(separator: ".") }
        guard names.count > 1 else { return expression.description }
        names[names.count - 1] = operation
        return (names + [last]).joined(separator: ".")
    }

    /// Returns the expression to archive for a string, or `nil` if the string cannot be parsed.
    static func expression(_ text: String) -> FetchExpression? {
        guard let expression = try? FetchExpression(format: text) else { return nil }
        guard case .keyPath(var names) = expression,
            let index = names.firstIndex(where: { $0.hasPrefix("@") }), index > 0,
            let function = summaries.first(where: { $0.value == names[index] })?.key
        else { return expression }
        names.remove(at: index)
        return .function(function, [.keyPath(names)])
    }
}
