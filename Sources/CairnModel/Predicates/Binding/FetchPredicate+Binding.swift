import Foundation

extension FetchPredicate {
    /// Checks the predicate against an entity and resolves its names.
    ///
    /// Bind again for each fetch: `now()` becomes the moment of binding, so that all stores of a
    /// fetch, and what is evaluated after them, mean the same by it.
    ///
    /// - Throws: `.unknownKey`, `.transientKey`, `.typeMismatch`, `.unsetVariable`,
    ///   `.invalidRegularExpression`, `.unsupported`, `.tooDeep`.
    public func bound(
        to entity: Entity, now: Date = Date()
    ) throws(FetchPredicateError) -> BoundPredicate {
        guard depth <= Self.depthLimit else { throw .tooDeep(limit: Self.depthLimit) }
        var binder = PredicateBinder(entity, now: now)
        return try binder.bind(self)
    }
}

extension FetchExpression {
    /// Checks the expression against an entity and resolves its names. `now()` stays a call: a
    /// derived attribute is computed again with each save.
    ///
    /// - Throws: as ``FetchPredicate/bound(to:now:)``.
    public func bound(to entity: Entity) throws(FetchPredicateError) -> BoundExpression {
        guard depth <= FetchPredicate.depthLimit else {
            throw .tooDeep(limit: FetchPredicate.depthLimit)
        }
        var binder = PredicateBinder(entity, now: nil)
        return try binder.bind(self)
    }
}

extension BoundPath {
    /// Resolves a key path to sort by: over to-ones to an attribute, to an object (which sorts by
    /// key; `self` is the object under test), or to a collection operator.
    ///
    /// - Throws: `.unknownKey`, `.transientKey`, `.unsupported`; `.typeMismatch` where the path
    ///   gives several values or values without an order.
    public init(keyPath: String, entity: Entity) throws(FetchPredicateError) {
        let names = keyPath.split(separator: ".", omittingEmptySubsequences: false)
        self = try PathResolver(entity: entity).resolve(names.map(String.init))
        guard !isCollection else {
            throw .typeMismatch(
                expression: keyPath,
                detail: "a sort key passes a to-many; sum it up with @count, @sum, @min or @max")
        }
        guard type.isOrdered || type == .objectID else {
            throw .typeMismatch(expression: keyPath, detail: "its values have no order")
        }
    }
}
