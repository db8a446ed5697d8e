import Foundation

/// What may stand for a placeholder of a predicate's text or a variable's value.
///
/// Values of every attribute type, optionals of them (nil is `NULL`), and arrays and sets of them,
/// which become lists.
public protocol PredicateArgument {
    /// The argument as a side of a comparison.
    var predicateExpression: FetchExpression { get }
}

extension FetchExpression: PredicateArgument {
    /// The expression itself: `%@` may stand for any side, a key path too.
    public var predicateExpression: FetchExpression { self }
}

extension Value: PredicateArgument {
    /// The value as a constant, its type kept.
    public var predicateExpression: FetchExpression { .constant(self) }
}

extension String: PredicateArgument {
    /// The text as a constant, never as a key path; `%K` takes those.
    public var predicateExpression: FetchExpression { .constant(.string(self)) }
}

extension Substring: PredicateArgument {
    /// The text as a constant, copied out of the text it is part of.
    public var predicateExpression: FetchExpression { .constant(.string(String(self))) }
}

extension Bool: PredicateArgument {
    /// The truth value; compared with a numeric attribute it counts as 1 or 0.
    public var predicateExpression: FetchExpression { .constant(.boolean(self)) }
}

extension Double: PredicateArgument {
    /// The number at double precision; binding makes it the type of what it is compared with.
    public var predicateExpression: FetchExpression { .constant(.double(self)) }
}

extension Float: PredicateArgument {
    /// The number at single precision; binding makes it the type of what it is compared with.
    public var predicateExpression: FetchExpression { .constant(.float(self)) }
}

extension Decimal: PredicateArgument {
    /// The number with all of its digits.
    public var predicateExpression: FetchExpression { .constant(.decimal(self)) }
}

extension Date: PredicateArgument {
    /// The point in time, at double precision.
    public var predicateExpression: FetchExpression { .constant(.date(self)) }
}

extension UUID: PredicateArgument {
    /// The UUID as a constant.
    public var predicateExpression: FetchExpression { .constant(.uuid(self)) }
}

extension URL: PredicateArgument {
    /// The URL as a constant, compared by its absolute string.
    public var predicateExpression: FetchExpression { .constant(.uri(self)) }
}

extension Data: PredicateArgument {
    /// The bytes as a constant.
    public var predicateExpression: FetchExpression { .constant(.binary(self)) }
}

extension ObjectID: PredicateArgument {
    /// The object's identity: compares with to-ones and with `SELF`.
    public var predicateExpression: FetchExpression { .constant(.objectID(self)) }
}

extension BinaryInteger where Self: PredicateArgument {
    /// The integer. An integer beyond 64 bits is a decimal, so that it still compares by value.
    public var predicateExpression: FetchExpression {
        if let value = Int64(exactly: self) { return .constant(.integer(value)) }
        return .constant(.decimal(Decimal(string: String(self)) ?? .nan))
    }
}

extension Int: PredicateArgument {}
extension Int8: PredicateArgument {}
extension Int16: PredicateArgument {}
extension Int32: PredicateArgument {}
extension Int64: PredicateArgument {}
extension UInt: PredicateArgument {}
extension UInt8: PredicateArgument {}
extension UInt16: PredicateArgument {}
extension UInt32: PredicateArgument {}
extension UInt64: PredicateArgument {}

extension Optional: PredicateArgument where Wrapped: PredicateArgument {
    /// The wrapped argument's expression; for nil the null constant, as `NULL` in text.
    public var predicateExpression: FetchExpression {
        self?.predicateExpression ?? .constant(.null)
    }
}

extension Array: PredicateArgument where Element: PredicateArgument {
    /// A list in the array's order: what `IN` and `BETWEEN` take.
    public var predicateExpression: FetchExpression { .list(map(\.predicateExpression)) }
}

extension ArraySlice: PredicateArgument where Element: PredicateArgument {
    /// A list in the slice's order: what `IN` and `BETWEEN` take.
    public var predicateExpression: FetchExpression { .list(map(\.predicateExpression)) }
}

extension Set: PredicateArgument where Element: PredicateArgument {
    /// A list in no particular order: what `IN` takes.
    public var predicateExpression: FetchExpression { .list(map(\.predicateExpression)) }
}

extension ClosedRange: PredicateArgument where Bound: PredicateArgument {
    /// The bounds as a list of two: what `BETWEEN` takes.
    public var predicateExpression: FetchExpression {
        .list([lowerBound.predicateExpression, upperBound.predicateExpression])
    }
}
