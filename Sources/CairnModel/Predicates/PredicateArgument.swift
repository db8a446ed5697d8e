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
    public var predicateExpression: FetchExpression { self }
}

extension Value: PredicateArgument {
    public var predicateExpression: FetchExpression { .constant(self) }
}

extension String: PredicateArgument {
    public var predicateExpression: FetchExpression { .constant(.string(self)) }
}

extension Substring: PredicateArgument {
    public var predicateExpression: FetchExpression { .constant(.string(String(self))) }
}

extension Bool: PredicateArgument {
    public var predicateExpression: FetchExpression { .constant(.boolean(self)) }
}

extension Double: PredicateArgument {
    public var predicateExpression: FetchExpression { .constant(.double(self)) }
}

extension Float: PredicateArgument {
    public var predicateExpression: FetchExpression { .constant(.float(self)) }
}

extension Decimal: PredicateArgument {
    public var predicateExpression: FetchExpression { .constant(.decimal(self)) }
}

extension Date: PredicateArgument {
    public var predicateExpression: FetchExpression { .constant(.date(self)) }
}

extension UUID: PredicateArgument {
    public var predicateExpression: FetchExpression { .constant(.uuid(self)) }
}

extension URL: PredicateArgument {
    public var predicateExpression: FetchExpression { .constant(.uri(self)) }
}

extension Data: PredicateArgument {
    public var predicateExpression: FetchExpression { .constant(.binary(self)) }
}

extension ObjectID: PredicateArgument {
    public var predicateExpression: FetchExpression { .constant(.objectID(self)) }
}

extension BinaryInteger where Self: PredicateArgument {
    /// The integer; a decimal where it is beyond 64 bits, so that it still compares by value.
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
    public var predicateExpression: FetchExpression {
        self?.predicateExpression ?? .constant(.null)
    }
}

extension Array: PredicateArgument where Element: PredicateArgument {
    public var predicateExpression: FetchExpression { .list(map(\.predicateExpression)) }
}

extension ArraySlice: PredicateArgument where Element: PredicateArgument {
    public var predicateExpression: FetchExpression { .list(map(\.predicateExpression)) }
}

extension Set: PredicateArgument where Element: PredicateArgument {
    public var predicateExpression: FetchExpression { .list(map(\.predicateExpression)) }
}

extension ClosedRange: PredicateArgument where Bound: PredicateArgument {
    /// The bounds as a list of two: what `BETWEEN` takes.
    public var predicateExpression: FetchExpression {
        .list([lowerBound.predicateExpression, upperBound.predicateExpression])
    }
}
