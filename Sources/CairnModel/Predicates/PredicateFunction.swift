/// A function that predicates and derived attributes may call.
///
/// Raw values are Core Data's selector names. If an argument is `nil`, the result is `nil`, unless the
/// function is documented differently.
///
/// To add a function, add a case here. The compiler then requires its arity, whether it combines several
/// values, its types (`BoundExpression+Type.swift`) and its result (`PredicateFunction+Evaluation.swift`).
/// This is enough for SQLite stores to evaluate the function in memory; add it to
/// `PredicateTranslator+Functions.swift` to evaluate it in SQL. A function that combines values also needs
/// a case in `BoundPath.CollectionOperator`, for which the compiler requires its result and its SQL. Add it
/// to `KeyPathOperator` in the graph for use in key paths, and to `GroupRewriter` if it requires numbers.
/// `docs/formats/predicates.md` lists all functions.
public enum PredicateFunction: String, Sendable, Hashable, CaseIterable {
    case add = "add:to:"
    case subtract = "from:subtract:"
    case multiply = "multiply:by:"
    /// Division. Dividing by zero gives `nil`.
    case divide = "divide:by:"
    case modulus = "modulus:by:"
    case absolute = "abs:"
    case ceiling = "ceiling:"
    case floor = "floor:"
    case truncate = "trunc:"
    case squareRoot = "sqrt:"
    case naturalLogarithm = "ln:"
    case logarithm = "log:"
    case exponential = "exp:"
    case power = "raise:toPower:"
    case lowercase = "lowercase:"
    case uppercase = "uppercase:"
    /// The text without case and diacritics, folded as by `[cd]`.
    case canonical = "canonical:"
    /// The length of a text in UTF-16 code units, which is also what Core Data counts.
    case length = "length:"
    /// The current date, which is the same for a whole fetch.
    case now = "now"
    case sum = "sum:"
    case count = "count:"
    case minimum = "min:"
    case maximum = "max:"
    case average = "average:"

    /// The number of arguments, or `nil` if the function takes a list.
    public var arity: Int? {
        switch self {
        case .now: 0
        case .absolute, .ceiling, .floor, .truncate, .squareRoot, .naturalLogarithm, .logarithm,
            .exponential, .lowercase, .uppercase, .canonical, .length:
            1
        case .add, .subtract, .multiply, .divide, .modulus, .power: 2
        case .sum, .count, .minimum, .maximum, .average: nil
        }
    }

    /// The collection operator with the same effect, if the function combines the values of a list or a
    /// to-many. Otherwise, `nil`.
    public var summary: BoundPath.CollectionOperator? {
        switch self {
        case .sum: .sum
        case .count: .count
        case .minimum: .min
        case .maximum: .max
        case .average: .average
        case .now, .absolute, .ceiling, .floor, .truncate, .squareRoot, .naturalLogarithm,
            .logarithm, .exponential, .lowercase, .uppercase, .canonical, .length, .add, .subtract,
            .multiply, .divide, .modulus, .power:
            nil
        }
    }
}
