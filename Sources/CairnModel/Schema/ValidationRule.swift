/// A condition that a value must meet to be saved.
///
/// Each case documents the code of the validation error.
public enum ValidationRule: Sendable, Hashable {
    /// The smallest number or date that is allowed. Code 1620, or 1640 for dates.
    case minimum(Value)
    /// The largest number or date that is allowed. Code 1610, or 1630 for dates.
    case maximum(Value)
    /// The minimum number of characters. Code 1670.
    case minimumLength(Int)
    /// The maximum number of characters. Code 1660.
    case maximumLength(Int)
    /// An ICU regular expression that must match the whole string. Code 1680.
    case matches(regularExpression: String)
    /// A predicate on the value (`SELF`), and the message for the case that it is false.
    case predicate(FetchPredicate, warning: String)
}
