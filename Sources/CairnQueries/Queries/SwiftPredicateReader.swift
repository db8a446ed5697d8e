import CairnModel
import CairnObjects
import CairnStack
import Foundation

/// A translator from Foundation's `Predicate` to a ``CairnModel/FetchPredicate``.
///
/// Each kind of Foundation's expressions is either translated with the same meaning or refused with an error
/// that names it.
package struct SwiftPredicateReader {
    /// The meaning of an expression.
    package enum Term {
        case expression(FetchExpression)
        case predicate(FetchPredicate)
        /// A condition on a value that may be nil, such as `$0.author?.books.isEmpty`. Unless `presence`
        /// holds, the condition is nil.
        case optionalPredicate(FetchPredicate, presence: FetchPredicate)
        /// The members of a to-many that meet a predicate.
        case members(FetchExpression, variable: String, FetchPredicate)
        /// A range of values. A half-open range does not include its upper bound.
        case range(FetchExpression, FetchExpression, includesUpper: Bool)
        /// Constants, one for each element of a sequence.
        case constants([FetchExpression])
    }

    private let naming: any PredicateNaming
    /// The term that each variable stands for.
    private var variables: [PredicateExpressions.VariableID: Term] = [:]
    private var subqueryCount = 0

    private init(_ naming: any PredicateNaming) { self.naming = naming }

    /// Translates a predicate.
    ///
    /// - Throws: `.predicate(.unsupported)` with the part that cannot be translated; `.classWithoutEntity`
    ///   and other errors, as a fetch of objects of the class throws.
    package static func read<Object>(
        _ predicate: Predicate<Object>, _ naming: any PredicateNaming
    ) throws(GraphError) -> FetchPredicate {
        var reader = SwiftPredicateReader(naming)
        reader.variables[predicate.variable.key] = .expression(.evaluatedObject)
        return try reader.predicate(predicate.expression)
    }

    // MARK: Terms

    /// Translates an expression of any kind.
    mutating func term(_ expression: Any) throws(GraphError) -> Term {
        guard let readable = expression as? any ReadableExpression else {
            throw Self.unsupported(expression)
        }
        return try readable.read(by: &self)
    }

    /// Translates an expression that is a condition.
    mutating func predicate(_ expression: Any) throws(GraphError) -> FetchPredicate {
        switch try term(expression) {
        case .predicate(let predicate), .optionalPredicate(let predicate, _): predicate
        case .expression(.constant(.boolean(let value))): .constant(value)
        case .expression(let expression):
            .comparison(PredicateComparison(expression, .equal, .constant(.boolean(true))))
        case .members, .range, .constants: throw Self.unsupported(expression)
        }
    }

    /// Translates an expression that is a value or an object.
    package mutating func value(_ expression: Any) throws(GraphError) -> FetchExpression {
        guard case .expression(let value) = try term(expression) else {
            throw Self.unsupported(expression)
        }
        return value
    }

    // MARK: Variables

    /// Translates a constant.
    func constant(_ value: Any, _ expression: Any) throws(GraphError) -> Term {
        guard let term = Term(constant: value, naming) else { throw Self.unsupported(expression) }
        return term
    }

    func variable(_ id: PredicateExpressions.VariableID, _ expression: Any) throws(GraphError)
        -> Term
    {
        guard let term = variables[id] else { throw Self.unsupported(expression) }
        return term
    }

    /// Translates an expression in which a variable stands for a term.
    mutating func reading<Result>(
        _ id: PredicateExpressions.VariableID, as term: Term,
        _ body: (inout Self) throws(GraphError) -> Result
    ) throws(GraphError) -> Result {
        let outer = variables[id]
        variables[id] = term
        defer { variables[id] = outer }
        return try body(&self)
    }

    /// Translates a condition on each member of a sequence.
    mutating func members(
        of sequence: Any, where test: Any, _ id: PredicateExpressions.VariableID
    ) throws(GraphError) -> (FetchExpression, variable: String, FetchPredicate) {
        let collection = try value(sequence)
        subqueryCount += 1
        let name = "m\(subqueryCount)"
        let condition = try reading(id, as: .expression(.variable(name))) {
            reader throws(GraphError) in
            try reader.predicate(test)
        }
        return (collection, name, condition)
    }

    // MARK: Key paths

    /// Follows a key path from a term.
    func follow(
        _ path: AnyKeyPath, from term: Term, _ expression: Any
    ) throws(GraphError) -> Term {
        let root = type(of: path).rootType
        if let counted = root as? any CountedSequence.Type {
            return try counted.read(path, of: term, expression)
        }
        guard case .expression(let base) = term else { throw Self.unsupported(expression) }
        if root == String.self, path == \String.isEmpty {
            return .predicate(
                .comparison(PredicateComparison(base, .equal, .constant(.string("")))))
        }
        // Foundation's own conversion to NSPredicate also makes it the length in UTF-16 code units.
        if root == String.self, path == \String.count {
            return .expression(.function(PredicateFunction.length.rawValue, [base]))
        }
        let names = try naming.names(of: path)
        // Comparing the ID of an object means comparing the object itself.
        if names.isEmpty { return term }
        switch base {
        case .evaluatedObject: return .expression(.keyPath(names))
        case .keyPath(let first): return .expression(.keyPath(first + names))
        case .keyPathOf(let base, let first): return .expression(.keyPathOf(base, first + names))
        default: return .expression(.keyPathOf(base, names))
        }
    }

    // MARK: Refusing

    /// Returns the error for a part that a fetch cannot evaluate.
    package static func unsupported(_ expression: Any) -> GraphError {
        .predicate(
            .unsupported(
                expression: name(of: expression),
                advice:
                    "The #Predicate of a fetch can compare properties, constants and members."
                    + " Write other conditions as text with FetchPredicate(format:), or filter the"
                    + " fetched objects."))
    }

    private static func name(of expression: Any) -> String {
        if let path = expression as? AnyKeyPath { return path.reading }
        return "\(type(of: expression))"
    }
}

/// An expression of a Foundation predicate that can be translated for a fetch.
package protocol ReadableExpression {
    func read(by reader: inout SwiftPredicateReader) throws(GraphError) -> SwiftPredicateReader.Term
}

extension SwiftPredicateReader.Term {
    /// Creates the term of a constant. Returns `nil` if no attribute can have such a value.
    init?(constant: Any, _ naming: any PredicateNaming) {
        switch constant {
        case let sequence as any ConstantSequence:
            var constants: [FetchExpression] = []
            for element in sequence.constantElements {
                guard case .expression(let constant)? = Self(constant: element, naming) else {
                    return nil
                }
                constants.append(constant)
            }
            self = .constants(constants)
        case let value as any AttributeValue: self = .expression(.constant(value._attributeValue))
        case let id as ObjectID: self = .expression(.constant(.objectID(id)))
        case let id as any ObjectIdentity: self = .expression(.constant(.objectID(id.objectID)))
        case let object as ManagedObject: self = .expression(.constant(.objectID(object.objectID)))
        case let range as any ConstantRange:
            guard let (lower, upper) = range.bounds else { return nil }
            self = .range(
                .constant(lower), .constant(upper), includesUpper: range.includesUpper)
        case let optional as any OptionalConstant:
            guard let wrapped = optional.wrappedConstant else {
                self = .expression(.constant(.null))
                return
            }
            self.init(constant: wrapped, naming)
        default:
            guard let value = naming.constant(constant) else { return nil }
            self = .expression(.constant(value))
        }
    }
}

/// An ``EntityID`` of any class.
private protocol ObjectIdentity {
    var objectID: ObjectID { get }
}

extension EntityID: ObjectIdentity {}

/// A collection that can be a constant in a predicate.
private protocol ConstantSequence {
    var constantElements: [Any] { get }
}

extension Array: ConstantSequence {
    fileprivate var constantElements: [Any] { self }
}

extension Set: ConstantSequence {
    fileprivate var constantElements: [Any] { Array(self) }
}

/// A range that can be a constant in a predicate.
private protocol ConstantRange {
    var bounds: (Value, Value)? { get }
    var includesUpper: Bool { get }
}

extension Range: ConstantRange {
    fileprivate var bounds: (Value, Value)? { constantBounds(lowerBound, upperBound) }
    fileprivate var includesUpper: Bool { false }
}

extension ClosedRange: ConstantRange {
    fileprivate var bounds: (Value, Value)? { constantBounds(lowerBound, upperBound) }
    fileprivate var includesUpper: Bool { true }
}

/// Returns the bounds as attribute values. Returns `nil` if no attribute can have such values.
private func constantBounds(_ lower: Any, _ upper: Any) -> (Value, Value)? {
    guard let lower = lower as? any AttributeValue, let upper = upper as? any AttributeValue else {
        return nil
    }
    return (lower._attributeValue, upper._attributeValue)
}

/// An optional that can be a constant in a predicate.
private protocol OptionalConstant {
    var wrappedConstant: Any? { get }
}

extension Optional: OptionalConstant {
    fileprivate var wrappedConstant: Any? { self }
}
