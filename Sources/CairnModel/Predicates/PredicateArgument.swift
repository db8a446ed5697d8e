import Foundation

/// A value that can replace a placeholder or a variable in a predicate.
///
/// Values of every attribute type conform. Optionals of them also conform, with `nil` as `NULL`, and so do
/// arrays and sets of them, which become lists.
public protocol PredicateArgument {
    /// The argument as one side of a comparison.
    var _predicateExpression: FetchExpression { get }
}

extension FetchExpression: PredicateArgument {
    /// The expression itself. `%@` can therefore represent any side of a comparison, including a key path.
    public var _predicateExpression: FetchExpression { self }
}

extension Value: PredicateArgument {
    /// The value as a constant of the same type.
    public var _predicateExpression: FetchExpression { .constant(self) }
}

extension String: PredicateArgument {
    /// The string as a constant. To pass a key path, use `%K`.
    public var _predicateExpression: FetchExpression { .constant(.string(self)) }
}

extension Substring: PredicateArgument {
    /// A copy of the substring as a constant.
    public var _predicateExpression: FetchExpression { .constant(.string(String(self))) }
}

extension Bool: PredicateArgument {
    /// The Boolean as a constant. It compares with numeric attributes as 1 or 0.
    public var _predicateExpression: FetchExpression { .constant(.boolean(self)) }
}

extension Double: PredicateArgument {
    /// The number as a constant. Binding converts it to the type that it is compared with.
    public var _predicateExpression: FetchExpression { .constant(.double(self)) }
}

extension Float: PredicateArgument {
    /// The number as a constant. Binding converts it to the type that it is compared with.
    public var _predicateExpression: FetchExpression { .constant(.float(self)) }
}

extension Decimal: PredicateArgument {
    /// The number as a constant with all of its digits.
    public var _predicateExpression: FetchExpression { .constant(.decimal(self)) }
}

extension Date: PredicateArgument {
    /// The date as a constant.
    public var _predicateExpression: FetchExpression { .constant(.date(self)) }
}

extension UUID: PredicateArgument {
    /// The UUID as a constant.
    public var _predicateExpression: FetchExpression { .constant(.uuid(self)) }
}

extension URL: PredicateArgument {
    /// The URL as a constant, which is compared by its absolute string.
    public var _predicateExpression: FetchExpression { .constant(.uri(self)) }
}

extension Data: PredicateArgument {
    /// The data as a constant.
    public var _predicateExpression: FetchExpression { .constant(.binary(self)) }
}

extension ObjectID: PredicateArgument {
    /// The object ID as a constant, which can be compared with to-one relationships and with `SELF`.
    public var _predicateExpression: FetchExpression { .constant(.objectID(self)) }
}

extension BinaryInteger where Self: PredicateArgument {
    /// The integer as a constant. An integer of more than 64 bits becomes a decimal with the same value.
    public var _predicateExpression: FetchExpression {
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
    /// The expression of the wrapped argument, or the constant `NULL` for `nil`.
    public var _predicateExpression: FetchExpression {
        self?._predicateExpression ?? .constant(.null)
    }
}

extension Array: PredicateArgument where Element: PredicateArgument {
    /// The elements as a list in the same order, for `IN` and `BETWEEN`.
    public var _predicateExpression: FetchExpression { .list(map(\._predicateExpression)) }
}

extension ArraySlice: PredicateArgument where Element: PredicateArgument {
    /// The elements as a list in the same order, for `IN` and `BETWEEN`.
    public var _predicateExpression: FetchExpression { .list(map(\._predicateExpression)) }
}

extension Set: PredicateArgument where Element: PredicateArgument {
    /// The elements as a list in no particular order, for `IN`.
    public var _predicateExpression: FetchExpression { .list(map(\._predicateExpression)) }
}

extension ClosedRange: PredicateArgument where Bound: PredicateArgument {
    /// The two bounds as a list, for `BETWEEN`.
    public var _predicateExpression: FetchExpression {
        .list([lowerBound._predicateExpression, upperBound._predicateExpression])
    }
}
