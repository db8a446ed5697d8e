/// A condition on objects, by names; binding it to an entity checks and resolves them.
///
/// One meaning on every engine, two-valued:
/// - nil equals nil and nothing else; an ordering or text operator with a nil on either side is
///   false; `NOT` is plain negation, so `NOT (x < 3)` holds where x is nil.
/// - Text compares by Unicode scalars; `[c]` folds case, `[d]` diacritics, neither by locale.
/// - Numbers compare by value across types; NaN equals NaN and sorts before every number.
/// - A key path through a to-one that is nil is nil. Through a to-many it needs `ANY`, `ALL`,
///   `NONE`, a collection operator or `SUBQUERY`.
public indirect enum FetchPredicate: Sendable, Hashable {
    /// `TRUEPREDICATE`, `FALSEPREDICATE`.
    case constant(Bool)
    case comparison(PredicateComparison)
    /// True where all are; of none: true.
    case and([FetchPredicate])
    /// True where any is; of none: false.
    case or([FetchPredicate])
    case not(FetchPredicate)
}

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

/// A side of a comparison, by names.
public indirect enum FetchExpression: Sendable, Hashable {
    case constant(Value)
    /// `{1, 2, 3}`.
    case list([FetchExpression])
    /// Names from the object under test: attributes, relationships, collection operators
    /// (`@count`, `@sum`, `@min`, `@max`, `@avg`), elements of composites.
    case keyPath([String])
    /// `SELF`: the object under test, or the value under test in a validation rule.
    case evaluatedObject
    /// `$NAME`, to be filled in before binding, or bound by an enclosing subquery.
    case variable(String)
    /// A key path from a subquery's variable or another expression.
    case keyPathOf(FetchExpression, [String])
    /// A call by Core Data's name: `add:to:`, `canonical:`, `lowercase:`, `now`, …
    case function(String, [FetchExpression])
    /// The members of a to-many for which the predicate holds.
    case subquery(
        collection: FetchExpression, variable: String, predicate: FetchPredicate)
    /// `TERNARY(condition, then, else)`.
    case conditional(
        FetchPredicate, then: FetchExpression, otherwise: FetchExpression)
}
