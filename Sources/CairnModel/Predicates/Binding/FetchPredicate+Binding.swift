import Foundation

extension FetchPredicate {
    /// Checks the predicate against an entity and resolves its names.
    ///
    /// Bind again for each fetch. `now()` becomes the time of binding, so it has the same value in all
    /// stores of a fetch and in whatever is evaluated after them.
    ///
    /// - Throws: `.unknownKey`, `.transientKey`, `.typeMismatch`, `.unsetVariable`,
    ///   `.invalidRegularExpression`, `.unsupported` or `.tooDeep`.
    package func bound(
        to entity: Entity, now: Date = Date()
    ) throws(FetchPredicateError) -> BoundPredicate {
        try bound(to: entity, now: now, includesTransients: false)
    }

    /// Binds the predicate for objects in memory, which also have transient values.
    ///
    /// - Throws: The errors of ``bound(to:now:)``, apart from `.transientKey`.
    package func boundInMemory(
        to entity: Entity, now: Date
    ) throws(FetchPredicateError) -> BoundPredicate {
        try bound(to: entity, now: now, includesTransients: true)
    }

    private func bound(
        to entity: Entity, now: Date, includesTransients: Bool
    ) throws(FetchPredicateError) -> BoundPredicate {
        guard depth <= Self.depthLimit else { throw .tooDeep(limit: Self.depthLimit) }
        var binder = PredicateBinder(entity, now: now, includesTransients: includesTransients)
        return try binder.bind(self)
    }
}

extension FetchExpression {
    /// Checks the expression against an entity and resolves its names.
    ///
    /// `now()` remains a call, because a derived attribute is computed again for each save.
    ///
    /// - Throws: The errors of ``FetchPredicate/bound(to:now:)``.
    package func bound(to entity: Entity) throws(FetchPredicateError) -> BoundExpression {
        guard depth <= FetchPredicate.depthLimit else {
            throw .tooDeep(limit: FetchPredicate.depthLimit)
        }
        var binder = PredicateBinder(entity, now: nil)
        return try binder.bind(self)
    }
}

extension BoundPath {
    /// Resolves a key path to sort by. It may follow to-ones to an attribute or to an object, which sorts by
    /// its key, or end with a collection operator. `self` is the object that is sorted.
    ///
    /// - Throws: `.unknownKey`, `.transientKey` or `.unsupported`. Throws `.typeMismatch` if the path leads
    ///   to several values or to values without an order.
    package init(keyPath: String, entity: Entity) throws(FetchPredicateError) {
        try self.init(keyPath: keyPath, PathResolver(entity: entity))
    }

    /// Resolves a key path to sort objects in memory by, which also have transient values.
    ///
    /// - Throws: The errors of ``init(keyPath:entity:)``, apart from `.transientKey`.
    package init(inMemory keyPath: String, entity: Entity) throws(FetchPredicateError) {
        try self.init(keyPath: keyPath, PathResolver(entity: entity, includesTransients: true))
    }

    private init(keyPath: String, _ resolver: PathResolver) throws(FetchPredicateError) {
        let names = keyPath.split(separator: ".", omittingEmptySubsequences: false)
        self = try resolver.resolve(names.map(String.init))
        guard !isCollection else {
            throw .typeMismatch(
                expression: keyPath,
                detail:
                    "a sort key cannot lead over a to-many relationship; summarize its values with"
                    + " @count, @sum, @min or @max")
        }
        guard type.isOrdered || type == .objectID else {
            throw .typeMismatch(expression: keyPath, detail: "its values have no order")
        }
    }
}
