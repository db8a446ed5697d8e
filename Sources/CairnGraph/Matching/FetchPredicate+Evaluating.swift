import CairnModel

/// Predicates on objects that the program has, without a fetch.
extension FetchPredicate {
    /// Returns whether the predicate holds for an object, by the values that it has now.
    ///
    /// The predicate means what it means in a fetch, on every engine, and transient attributes can be
    /// compared too. Unsaved values count, those of related objects included. A fault is fired. Each
    /// call checks the predicate against the entity: to test many objects, use `filtered(using:)`.
    ///
    /// - Throws: `.predicate` if the predicate does not fit the object's entity, has a variable without a
    ///   value, or takes too many steps; `.objectGone`, `.store`, `.wrongThread`.
    public func evaluate(with object: ManagedObject) throws(GraphError) -> Bool {
        try ObjectMatcher(self).matches(among: [object]) == [true]
    }

    /// Returns whether the predicate holds for an object, with values for the predicate's variables.
    ///
    /// - Parameter variables: as in `fetchRequestFromTemplate(withName:substitutionVariables:)` of
    ///   `ManagedObjectModel`. `nil` gives no value to any variable.
    /// - Throws: as ``evaluate(with:)``; what reading a path after a variable throws.
    public func evaluate(
        with object: ManagedObject, substitutionVariables variables: [String: Any]?
    ) throws(GraphError) -> Bool {
        try PredicateVariables(values: variables ?? [:]).fill(self).evaluate(with: object)
    }
}
