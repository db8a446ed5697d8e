import CairnModel
import Foundation

/// The source of the objects' values for an evaluator: packed rows, or a context's objects.
///
/// The predicate compiler accesses objects only through this protocol, so that predicates have the
/// same meaning for both.
package protocol EvaluationSource {
    /// An object, or the row of an object.
    associatedtype Object
    /// The errors of reading and testing an object.
    associatedtype Failure: Error

    /// Returns the object's ID.
    func id(of object: Object) -> ObjectID

    /// Returns the value of a persistent attribute.
    func value(of attribute: Attribute, in object: Object) throws(Failure) -> Value

    /// Returns the ID in a to-one relationship, whether or not the object exists. Returns `nil` if
    /// the relationship is `nil`.
    func destination(
        of relationship: Relationship, in object: Object
    ) throws(Failure) -> ObjectID?

    /// Returns the members of a to-many relationship, in its order, or sorted by key if it is
    /// unordered.
    func members(of relationship: Relationship, in object: Object) throws(Failure) -> [ObjectID]

    /// Returns the object of each ID, in the order of `ids`, with `nil` for objects that do not
    /// exist.
    func objects(for ids: [ObjectID]) throws(Failure) -> [Object?]

    /// Returns the error to throw if an object cannot be tested because of `.matchingLimit`.
    func failure(for error: FetchPredicateError) -> Failure

    /// Returns a reader of the attribute, which may be faster than calling ``value(of:in:)``.
    func reader(
        of attribute: Attribute
    ) -> (Object, EvaluationContext<Self>) throws(Failure) -> Value
}

extension EvaluationSource {
    /// Returns a reader that calls ``value(of:in:)`` for each object.
    package func reader(
        of attribute: Attribute
    ) -> (Object, EvaluationContext<Self>) throws(Failure) -> Value {
        { (object, context) throws(Failure) in
            try context.source.value(of: attribute, in: object)
        }
    }
}
