extension FetchPredicate: CustomStringConvertible {
    /// The predicate as text that ``init(format:arguments:)`` reads back as the same predicate.
    ///
    /// Apart from forms that no text gives: an empty `and` or `or` (written as what it means), one
    /// with a single part, and composites as constants. Parts that are nested deeper than
    /// ``depthLimit`` are written as “…”. Costs time in proportion to the length of the text.
    public var description: String {
        var writer = PredicateWriter()
        writer.write(self)
        return writer.text
    }
}

extension PredicateComparison: CustomStringConvertible {
    /// The comparison as text.
    public var description: String {
        var writer = PredicateWriter()
        writer.write(self)
        return writer.text
    }
}

extension FetchExpression: CustomStringConvertible {
    /// The expression as text.
    public var description: String {
        var writer = PredicateWriter()
        writer.write(self)
        return writer.text
    }
}

extension PredicateComparison.Operator: CustomStringConvertible {
    /// The operator as text.
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
    /// The options as text in brackets; nothing if there are none.
    public var description: String {
        let letters = [
            contains(.caseInsensitive) ? "c" : "", contains(.diacriticInsensitive) ? "d" : "",
            contains(.normalized) ? "n" : "",
        ].joined()
        return letters.isEmpty ? "" : "[\(letters)]"
    }
}
