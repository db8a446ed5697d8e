import CairnModel
import CairnObjects
import CairnStack

extension ManagedObjectContext {
    /// Executes a request, and explains how each store found the matches: what the engine did, what was done
    /// in memory and why, the index, and the number of rows that were read.
    ///
    /// The explanations have the order of the stores. They concern the stores alone: unsaved changes, groups
    /// and prefetching are ignored. An explained fetch may take longer than the fetch itself, so do not
    /// explain every fetch.
    ///
    /// ```swift
    /// for store in try context.explain(request) { print(store) }
    /// ```
    ///
    /// - Throws: The same errors as `fetch`.
    public func explain<T: ManagedObject>(
        _ request: FetchRequest<T>
    ) throws(GraphError) -> [FetchExplanation] {
        try checkTurn("explain")
        let plan = try request.plan(
            for: try kinds.entity(named: request.entityName, as: T.self), in: self)
        return try source.explain(plan, in: request.affectedStores?.map(\.number))
    }
}
