import CairnModel
import CairnObjects
import CairnStack
import Foundation

/// What a fetch computes of a group of objects: see ``ManagedObjectContext/groups(of:by:where:_:)-(_,KeyPath<Object,Key>,_,_)``.
///
/// Values that are `nil` are ignored.
public struct GroupSummary<Object: ManagedObject, Result> {
    private let function: PredicateFunction
    /// The attribute to summarise. `nil` for the objects themselves.
    private let path: PartialKeyPath<Object>?
    /// Converts the value that the fetch returns.
    let result: (Value) throws(GraphError) -> Result

    private init(
        _ function: PredicateFunction, of path: PartialKeyPath<Object>?,
        _ result: @escaping (Value) throws(GraphError) -> Result
    ) {
        self.function = function
        self.path = path
        self.result = result
    }

    /// Returns the expression for a fetch of dictionaries.
    func expression(_ resolver: KeyPathResolver) throws(GraphError) -> FetchExpression {
        guard let path else { return .function(function.rawValue, [.evaluatedObject]) }
        return .function(
            function.rawValue, [.keyPath(try resolver.names(of: path, from: Object.self))])
    }

    /// Returns a value as the attribute's type. Returns `nil` for a null value.
    private static func attribute<Attribute: AttributeValue>(
        _ value: Value, _ function: PredicateFunction
    ) throws(GraphError) -> Attribute? {
        if value.isNull { return nil }
        var value = value
        // The sum of floats is a double.
        if Attribute.self is Float.Type, case .double(let sum) = value {
            value = .float(Float(sum))
        }
        // The sum of integers of any width has 64 bits, so it may be beyond the attribute's range.
        guard let attribute = Attribute(_attributeValue: value) else {
            throw .wrongType(
                entity: "\(Object.self)", property: "\(function.rawValue)",
                expected: "a result that fits the type \(Attribute.self)",
                found: "\(value.typeDescription) that does not")
        }
        return attribute
    }

    private static func sum(of path: PartialKeyPath<Object>) -> Self
    where Result: AttributeValue & Numeric {
        GroupSummary(.sum, of: path) { value throws(GraphError) in
            // A sum of no values has no type.
            if case .integer(0) = value { return .zero }
            return try attribute(value, .sum) ?? .zero
        }
    }

    private static func mean(of path: PartialKeyPath<Object>) -> Self where Result == Double? {
        GroupSummary(.average, of: path) { value throws(GraphError) in
            switch value {
            case .double(let mean): mean
            case .decimal(let mean): NSDecimalNumber(decimal: mean).doubleValue
            case .integer(let mean): Double(mean)
            case .float(let mean): Double(mean)
            default: nil
            }
        }
    }

    private static func extreme<Attribute: AttributeValue>(
        _ function: PredicateFunction, of path: PartialKeyPath<Object>
    ) -> Self where Result == Attribute? {
        GroupSummary(function, of: path) { value throws(GraphError) in
            try attribute(value, function)
        }
    }
}

extension GroupSummary where Result == Int {
    /// The number of objects.
    public static var count: Self {
        GroupSummary(.count, of: nil) { value throws(GraphError) in
            if case .integer(let count) = value { Int(count) } else { 0 }
        }
    }
}

extension GroupSummary {
    /// Returns the sum of an attribute. It is 0 if there are no values.
    ///
    /// - Parameter path: The attribute. It may be reached through to-one relationships.
    public static func sum(_ path: KeyPath<Object, Result>) -> Self
    where Result: AttributeValue & Numeric {
        sum(of: path)
    }

    /// Returns the sum of an attribute that may be `nil`. It is 0 if there are no values.
    public static func sum(_ path: KeyPath<Object, Result?>) -> Self
    where Result: AttributeValue & Numeric {
        sum(of: path)
    }

    /// Returns the mean of an attribute. It is `nil` if there are no values.
    public static func average<Number: AttributeValue & Numeric>(
        _ path: KeyPath<Object, Number>
    ) -> Self where Result == Double? {
        mean(of: path)
    }

    /// Returns the mean of an attribute that may be `nil`. It is `nil` if there are no values.
    public static func average<Number: AttributeValue & Numeric>(
        _ path: KeyPath<Object, Number?>
    ) -> Self where Result == Double? {
        mean(of: path)
    }

    /// Returns the smallest value of an attribute. It is `nil` if there are no values.
    public static func minimum<Attribute: AttributeValue>(
        _ path: KeyPath<Object, Attribute>
    ) -> Self where Result == Attribute? {
        extreme(.minimum, of: path)
    }

    /// Returns the smallest value of an attribute that may be `nil`. It is `nil` if there are no values.
    public static func minimum<Attribute: AttributeValue>(
        _ path: KeyPath<Object, Attribute?>
    ) -> Self where Result == Attribute? {
        extreme(.minimum, of: path)
    }

    /// Returns the largest value of an attribute. It is `nil` if there are no values.
    public static func maximum<Attribute: AttributeValue>(
        _ path: KeyPath<Object, Attribute>
    ) -> Self where Result == Attribute? {
        extreme(.maximum, of: path)
    }

    /// Returns the largest value of an attribute that may be `nil`. It is `nil` if there are no values.
    public static func maximum<Attribute: AttributeValue>(
        _ path: KeyPath<Object, Attribute?>
    ) -> Self where Result == Attribute? {
        extreme(.maximum, of: path)
    }
}
