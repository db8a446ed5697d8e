import CairnEngineKit
import CairnModel
import CairnStack
import Foundation

/// Determines for which objects a predicate is true. Uses the current values of the objects.
///
/// A predicate has the same meaning as in a fetch, because fetches use the same evaluator for unsaved
/// objects.
struct ObjectMatcher {
    let predicate: FetchPredicate
    private let now = Date()

    init(_ predicate: FetchPredicate) { self.predicate = predicate }

    /// Returns, for each of the objects, whether the predicate is true.
    ///
    /// - Throws: `.predicate`, including if the predicate does not fit the entity of an object;
    ///   `.objectGone`, `.wrongThread`, `.store`.
    func matches(among objects: [ManagedObject]) throws(GraphError) -> [Bool] {
        let known = try KnownObjects(objects)
        var answers = [Bool](repeating: false, count: objects.count)
        for group in known.groups {
            let bound = try bound(for: group)
            let filter = try compiled(bound, group.context)
            let held = try known.prefetch(bound.paths, from: group)
            for index in group.indices { answers[index] = try filter.matches(objects[index]) }
            withExtendedLifetime(held) {}
        }
        return answers
    }

    private func bound(for group: KnownObjects.Group) throws(GraphError) -> BoundPredicate {
        do {
            return try group.context.replacedIDs.current(predicate)
                .boundInMemory(to: group.kind.entity, now: now)
        } catch {
            throw .predicate(error)
        }
    }

    private func compiled(
        _ bound: BoundPredicate, _ context: ManagedObjectContext
    ) throws(GraphError) -> ObjectFilter<ContextObjects> {
        do {
            let source = ContextObjects(context: context, isAskedByProgram: true)
            return try ObjectFilter(bound, source: source, now: now)
        } catch {
            throw .predicate(error)
        }
    }
}

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
