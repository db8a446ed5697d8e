/// A function that predicates and derived attributes may call.
///
/// Raw values are Core Data's selector names. A nil argument gives nil unless said otherwise.
///
/// A new function is a case here. The compiler then asks for its arity, whether it summarises, its
/// types (`BoundExpression+Type.swift`) and its result (`PredicateFunction+Evaluation.swift`). Without
/// more, SQLite has it calculated in memory; `PredicateTranslator+Functions.swift` has those that become
/// SQL. A function that summarises is also a case of `BoundPath.CollectionOperator`, and the compiler asks
/// for its result there and in SQL; `KeyPathOperator` in the graph has those of key paths, and
/// `GroupRewriter` says which need numbers. `docs/formats/predicates.md` lists all functions.
public enum PredicateFunction: String, Sendable, Hashable, CaseIterable {
    case add = "add:to:"
    case subtract = "from:subtract:"
    case multiply = "multiply:by:"
    /// Division by zero gives nil.
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
    /// Case and diacritics folded, as `[cd]` does.
    case canonical = "canonical:"
    /// Characters of a text, in UTF-16 code units as Core Data counts.
    case length = "length:"
    /// Now; one moment for a whole fetch.
    case now = "now"
    case sum = "sum:"
    case count = "count:"
    case minimum = "min:"
    case maximum = "max:"
    case average = "average:"

    /// Number of arguments. `nil` if the function takes a list.
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

    /// The summary that the function makes of a list or of what a to-many reaches. `nil` if it makes
    /// none.
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
