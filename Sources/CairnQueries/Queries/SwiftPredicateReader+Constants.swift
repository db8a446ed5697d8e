import CairnModel
import CairnObjects
import Foundation

extension SwiftPredicateReader.Term {
    /// Creates the term of a constant. Returns `nil` if no attribute can have such a value.
    init?(constant: Any) {
        switch constant {
        case let sequence as any ConstantSequence:
            var constants: [FetchExpression] = []
            for element in sequence.constantElements {
                guard case .expression(let constant)? = Self(constant: element) else { return nil }
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
            self.init(constant: wrapped)
        default: return nil
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
