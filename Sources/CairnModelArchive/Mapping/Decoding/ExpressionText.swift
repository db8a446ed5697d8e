import CairnModel

/// The text of the expressions that derivations and indexes hold.
///
/// Authors write `tags.@count` and `pages.@sum.number`; archives hold `count:(tags)` and
/// `sum:(pages.number)`. Only the first has been seen; the others are taken to be alike.
enum ExpressionText {
    private static let summaries = [
        "count:": "@count", "sum:": "@sum", "min:": "@min", "max:": "@max", "average:": "@avg",
    ]

    /// Returns the text of an archived expression. Returns `nil` if it is of no form that we know.
    static func text(of value: ArchivedValue) -> String? {
        PredicateDecoder.expression(value).map { text($0) }
    }

    /// `canonical:(name)`, `tags.@count`, `pages.@sum.number`, `now()`, `author.name`, `SELF`.
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

    /// Returns the expression to archive for such a text. Returns `nil` if the text does not parse.
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
