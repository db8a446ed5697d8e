/// A comparison of two expressions.
public struct PredicateComparison: Sendable, Hashable {
    /// The operator of a comparison.
    public enum Operator: Sendable, Hashable, CaseIterable {
        /// `<`, `<=`, `>`, `>=`, `==` and `!=`. An ordering operator is false if either side is `nil`. `nil`
        /// is equal only to `nil`.
        case lessThan, lessThanOrEqual, greaterThan, greaterThanOrEqual, equal, notEqual
        /// `LIKE`: in the pattern, `*` matches any number of characters, `?` matches one, and `\` escapes the
        /// next character.
        case like
        /// `MATCHES`: an ICU regular expression that must match the whole text.
        case matches
        /// `BEGINSWITH` and `ENDSWITH`: the text on the left begins or ends with the text on the right. False
        /// if either side is `nil`.
        case beginsWith, endsWith
        /// The text or collection on the left contains the right side.
        case contains
        /// The left side is an element of the right side.
        case `in`
        /// The left side is at least the first and at most the second element of the right side.
        case between
    }

    /// How the values of a to-many on the left are combined.
    public enum Modifier: Sendable, Hashable {
        /// The left side is a single value, which is compared directly.
        case direct
        /// The comparison is true for at least one member. False if there are no members.
        case any
        /// The comparison is true for all members. True if there are no members.
        case all
        /// The comparison is true for no member. True if there are no members.
        case none
    }

    /// Options for comparing text.
    public struct Options: OptionSet, Sendable, Hashable {
        /// The option bits, with the same values as in `NSComparisonPredicate.Options`.
        public let rawValue: UInt8
        /// Creates options from bits. Bits that do not belong to an option have no effect.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// `[c]`: ignores case, with Unicode's default case folding.
        public static let caseInsensitive = Options(rawValue: 1)
        /// `[d]`: ignores diacritics, by removing combining marks after canonical decomposition.
        public static let diacriticInsensitive = Options(rawValue: 2)
        /// `[n]`: compares bytes, because both sides are already normalised.
        public static let normalized = Options(rawValue: 4)
    }

    /// The left side, to which the modifier applies.
    public var left: FetchExpression
    /// The operator that compares the sides.
    public var `operator`: Operator
    /// The right side. For `.between`, a list of two elements.
    public var right: FetchExpression
    /// How the values of a to-many on the left are combined. `.direct` for a single value.
    public var modifier: Modifier
    /// Options for comparing text. They have no effect on other types.
    public var options: Options

    /// Creates a comparison of two expressions.
    public init(
        _ left: FetchExpression, _ operator: Operator, _ right: FetchExpression,
        modifier: Modifier = .direct, options: Options = []
    ) {
        self.left = left
        self.operator = `operator`
        self.right = right
        self.modifier = modifier
        self.options = options
    }
}
