extension FetchPredicate: CustomStringConvertible {
    /// The predicate as text. ``init(format:arguments:)`` reads the text as an equal predicate.
    ///
    /// There are four exceptions that the text cannot express: an empty `and` or `or`, which is written as
    /// the constant that it means, an `and` or `or` with a single part, constants that are composites, and
    /// parts that are nested deeper than `depthLimit`, which are written as “…”. Takes time proportional to
    /// the length of the text.
    public var description: String {
        var writer = PredicateWriter()
        writer.write(self)
        return writer.text
    }
}

extension PredicateComparison: CustomStringConvertible {
    /// The comparison as text, in the format syntax.
    public var description: String {
        var writer = PredicateWriter()
        writer.write(self)
        return writer.text
    }
}

extension FetchExpression: CustomStringConvertible {
    /// The expression as text, in the format syntax.
    public var description: String {
        var writer = PredicateWriter()
        writer.write(self)
        return writer.text
    }
}

extension PredicateComparison.Operator: CustomStringConvertible {
    /// The operator as text, in the format syntax.
    public var description: String {
        switch self {
        case .lessThan: "<"
        case .lessThanOrEqual: "<="
        case .greaterThan: ">"
        case .greaterThanOrEqual: ">="
        case .equal: "=="
        case .notEqual: "!="
        case .like: "LIKE"
        case .matches: "MATCHES"
        case .beginsWith: "BEGINSWITH"
        case .endsWith: "ENDSWITH"
        case .contains: "CONTAINS"
        case .in: "IN"
        case .between: "BETWEEN"
        }
    }
}

extension PredicateComparison.Options: CustomStringConvertible {
    /// The options as letters in brackets. Empty if there are no options.
    public var description: String {
        let letters = [
            contains(.caseInsensitive) ? "c" : "", contains(.diacriticInsensitive) ? "d" : "",
            contains(.normalized) ? "n" : "",
        ].joined()
        return letters.isEmpty ? "" : "[\(letters)]"
    }
}
