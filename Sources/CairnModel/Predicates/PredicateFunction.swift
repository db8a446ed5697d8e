/// A function that predicates and derived attributes may call.
///
/// Raw values are Core Data's selector names. If an argument is `nil`, the result is `nil`, unless the
/// function is documented differently.
///
/// To add a function, add a case here. The compiler then requires its arity, whether it combines several
/// values, its types (`BoundExpression+Type.swift`) and its result (`PredicateFunction+Evaluation.swift`).
/// This is enough for all stores to evaluate the function in memory; add it to
/// `SQLiteDialect.call(_:_:)` to evaluate it in SQL. A function that combines values also needs
/// a case in `BoundPath.CollectionOperator`, for which the compiler requires its result and its SQL. Add it
/// to `KeyPathOperator` in the graph for use in key paths, and to `GroupRewriter` if it requires numbers.
/// `docs/formats/predicates.md` lists all functions.
public enum PredicateFunction: String, Sendable, Hashable, CaseIterable {
    /// The sum of two numbers. A double if both are integers and the sum does not fit in 64 bits.
    case add = "add:to:"
    /// The first number minus the second. A double if both are integers and the difference does not fit in 64
    /// bits.
    case subtract = "from:subtract:"
    /// The product of two numbers. A double if both are integers and the product does not fit in 64 bits.
    case multiply = "multiply:by:"
    /// Division. Dividing by zero gives `nil`.
    case divide = "divide:by:"
    /// The remainder of a division, with the sign of the dividend. Dividing by zero gives `nil`.
    case modulus = "modulus:by:"
    /// The absolute value of a number. An integer for an integer, a decimal for a decimal, otherwise a
    /// double.
    case absolute = "abs:"
    /// The smallest whole number that is not less than the argument. An integer for an integer, a decimal for
    /// a decimal, otherwise a double.
    case ceiling = "ceiling:"
    /// The largest whole number that is not greater than the argument. An integer for an integer, a decimal
    /// for a decimal, otherwise a double.
    case floor = "floor:"
    /// The number without its fraction, which rounds it towards zero. An integer for an integer, a decimal
    /// for a decimal, otherwise a double.
    case truncate = "trunc:"
    /// The square root as a double. `nil` for a negative number.
    case squareRoot = "sqrt:"
    /// The natural logarithm as a double. `nil` unless the number is positive.
    case naturalLogarithm = "ln:"
    /// The logarithm to base 10 as a double. `nil` unless the number is positive.
    case logarithm = "log:"
    /// *e* raised to the power of the number, as a double.
    case exponential = "exp:"
    /// The first number raised to the power of the second, as a double. `nil` if that is not a number.
    case power = "raise:toPower:"
    /// The text in lower case, independently of the locale.
    case lowercase = "lowercase:"
    /// The text in upper case, independently of the locale.
    case uppercase = "uppercase:"
    /// The text without case and diacritics, folded as by `[cd]`.
    case canonical = "canonical:"
    /// The length of a string in UTF-16 code units, which is also what Core Data counts.
    case length = "length:"
    /// The current date, which is the same for a whole fetch.
    case now = "now"
    /// The sum of the arguments, of a list or of the values of a to-many, ignoring `nil`. 0 if there are no
    /// values.
    case sum = "sum:"
    /// The number of values that are not `nil` among the arguments, in a list or in a to-many. `count:` of a
    /// `SUBQUERY` is the number of its members.
    case count = "count:"
    /// The smallest of the arguments, of a list or of the values of a to-many, ignoring `nil`. `nil` if there
    /// are no values.
    case minimum = "min:"
    /// The largest of the arguments, of a list or of the values of a to-many, ignoring `nil`. `nil` if there
    /// are no values.
    case maximum = "max:"
    /// The mean of the arguments, of a list or of the values of a to-many, ignoring `nil`. A decimal for
    /// decimals, otherwise a double. `nil` if there are no values.
    case average = "average:"

    /// The number of arguments, or `nil` if the function takes a list.
    package var arity: Int? {
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
    package var summary: BoundPath.CollectionOperator? {
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
