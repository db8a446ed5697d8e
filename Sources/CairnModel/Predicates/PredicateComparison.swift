/// Two expressions and how they compare.
public struct PredicateComparison: Sendable, Hashable {
    /// How the sides compare.
    public enum Operator: Sendable, Hashable, CaseIterable {
        case lessThan, lessThanOrEqual, greaterThan, greaterThanOrEqual, equal, notEqual
        /// `LIKE`: `*` stands for any characters, `?` for one; `\` takes the next literally.
        case like
        /// `MATCHES`: an ICU regular expression that the whole text matches.
        case matches
        case beginsWith, endsWith
        /// Left text or collection contains right.
        case contains
        /// Left is an element of right.
        case `in`
        /// Left is at least the first and at most the second element of right.
        case between
    }

    /// How a to-many on the left is taken.
    public enum Modifier: Sendable, Hashable {
        case direct
        /// Some member compares so; false of no members.
        case any
        /// Every member compares so; true of no members.
        case all
        /// No member compares so; true of no members.
        case none
    }

    /// How text compares.
    public struct Options: OptionSet, Sendable, Hashable {
        /// One bit for each option, with the values of `NSComparisonPredicate.Options`.
        public let rawValue: UInt8
        /// Takes any bits; those without a name here change nothing.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// `[c]`: Unicode default case folding.
        public static let caseInsensitive = Options(rawValue: 1)
        /// `[d]`: combining marks are dropped after canonical decomposition.
        public static let diacriticInsensitive = Options(rawValue: 2)
        /// `[n]`: the sides are normalised already; compares bytes.
        public static let normalized = Options(rawValue: 4)
    }

    /// The side that a modifier applies to.
    public var left: FetchExpression
    /// How the sides compare.
    public var `operator`: Operator
    /// What the left side is compared with; a list of two for `.between`.
    public var right: FetchExpression
    /// How a to-many on the left is taken; `.direct` for a single value.
    public var modifier: Modifier
    /// How text compares; without effect on anything else.
    public var options: Options

    /// Compares the sides as they are, unless a modifier or options are given.
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
