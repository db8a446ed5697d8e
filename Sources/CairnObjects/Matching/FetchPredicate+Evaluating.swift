import CairnModel
import CairnStack

/// Evaluating predicates on objects in memory, without a fetch.
extension FetchPredicate {
    /// Returns whether the predicate is true for an object, based on the object's current values.
    ///
    /// The predicate has the same meaning as in a fetch with any engine, and it can also compare
    /// transient attributes. Unsaved values are used, including those of related objects. If the object
    /// is a fault, it is fired. Each call checks the predicate against the entity; to test many objects,
    /// use `filtered(using:)`.
    ///
    /// - Throws: `.predicate` if the predicate does not fit the object's entity, contains a variable
    ///   without a value, or takes too many steps; `.objectGone`, `.store`, `.wrongThread`.
    public func evaluate(with object: ManagedObject) throws(GraphError) -> Bool {
        try ObjectMatcher(self).matches(among: [object]) == [true]
    }

    /// Returns whether the predicate is true for an object, with values for the predicate's variables.
    ///
    /// - Parameters:
    ///   - object: The object, which must belong to a context.
    ///   - variables: The values, as in `fetchRequestFromTemplate(withName:substitutionVariables:)` of
    ///     `ManagedObjectModel`. `nil` means that no variable has a value.
    /// - Throws: The same errors as ``evaluate(with:)``; the errors of reading a path after a variable.
    public func evaluate(
        with object: ManagedObject, substitutionVariables variables: [String: Any]?
    ) throws(GraphError) -> Bool {
        try PredicateVariables(values: variables ?? [:]).fill(self).evaluate(with: object)
    }
}
