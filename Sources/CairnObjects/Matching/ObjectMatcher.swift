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
        do throws(FetchPredicateError) {
            return try group.context.replacedIDs.current(predicate)
                .boundInMemory(to: group.kind.entity, now: now)
        } catch {
            throw .predicate(error)
        }
    }

    private func compiled(
        _ bound: BoundPredicate, _ context: ManagedObjectContext
    ) throws(GraphError) -> ObjectFilter<ContextObjects> {
        do throws(FetchPredicateError) {
            let source = ContextObjects(context: context, isAskedByProgram: true)
            return try ObjectFilter(bound, source: source, now: now)
        } catch {
            throw .predicate(error)
        }
    }
}
