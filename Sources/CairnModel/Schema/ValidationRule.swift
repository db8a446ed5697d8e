/// One condition that a value must meet to be saved.
public enum ValidationRule: Sendable, Hashable {
    /// The smallest number or date allowed, itself included. Code 1620, dates 1640.
    case minimum(Value)
    /// The largest number or date allowed, itself included. Code 1610, dates 1630.
    case maximum(Value)
    /// The fewest characters allowed. Code 1670.
    case minimumLength(Int)
    /// The most characters allowed. Code 1660.
    case maximumLength(Int)
    /// An ICU regular expression that the whole string matches. Code 1680.
    case matches(regularExpression: String)
    /// A predicate on the value itself (`SELF`), with what to say when it is false.
    case predicate(FetchPredicate, warning: String)
}
