import CairnModel
import Foundation

/// Where an evaluator takes the values of objects from: packed rows, or a context's objects.
///
/// The compiler of predicates knows nothing else of objects, so both mean the same by a predicate.
public protocol EvaluationSource {
    /// An object or its row.
    associatedtype Object
    /// What reading an object, and testing it, may throw.
    associatedtype Failure: Error

    /// Returns the object's identity.
    func id(of object: Object) -> ObjectID

    /// Returns the value of a persistent attribute.
    func value(of attribute: Attribute, in object: Object) throws(Failure) -> Value

    /// Returns what a to-one refers to, whether or not that is there. Returns `nil` if it is nil.
    func destination(
        of relationship: Relationship, in object: Object
    ) throws(Failure) -> ObjectID?

    /// Returns the members of a to-many, in its order or else by key.
    func members(of relationship: Relationship, in object: Object) throws(Failure) -> [ObjectID]

    /// Returns the object of each ID, in the order of `ids`; nil for one that is not there.
    func objects(for ids: [ObjectID]) throws(Failure) -> [Object?]

    /// Returns what an evaluator throws if it cannot test an object: `.matchingLimit`.
    func failure(for error: FetchPredicateError) -> Failure

    /// Returns a reader of the attribute, which may be faster than ``value(of:in:)``.
    func reader(
        of attribute: Attribute
    ) -> (Object, EvaluationContext<Self>) throws(Failure) -> Value
}

extension EvaluationSource {
    /// Returns a reader that asks the source for each object.
    public func reader(
        of attribute: Attribute
    ) -> (Object, EvaluationContext<Self>) throws(Failure) -> Value {
        { (object, context) throws(Failure) in
            try context.source.value(of: attribute, in: object)
        }
    }
}
