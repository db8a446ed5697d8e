import CairnModel
import CairnRows
import CairnStore
import CairnThreads
import Foundation

/// The source of a context's objects and the destination of its saves: the coordinator, or a parent
/// context.
///
/// Contexts use only this protocol, so contexts with a parent need no separate implementation. Calls are
/// synchronous, and each may concern many objects.
package protocol ObjectSource: AnyObject, Sendable {
    /// The layouts of all rows from this source.
    var layouts: RowLayouts { get }
    /// The store number of temporary IDs, which the contexts of one stack share.
    var temporarySpace: StoreNumber { get }

    /// Whether the source may return objects with temporary IDs, as a parent context may.
    var holdsUnsavedObjects: Bool { get }
    /// The contexts that save to this source, which are notified of each other's saves. `nil` if the
    /// source does not record them.
    var feed: ContextFeed? { get }
    /// The coordinator at the end of the chain of parents. `nil` if there is no coordinator.
    var coordinator: PersistentStoreCoordinator? { get }
    /// The error that says why the source has neither a model nor stores. `nil` for a source that has
    /// them.
    var refusal: GraphError? { get }
    /// The executor whose threads run the turns of tasks in the source's contexts.
    var executor: TurnExecutor { get }

    /// Returns the matches of a plan from all stores that may contain matches. All stages of the plan
    /// are applied.
    ///
    /// - Parameter stores: The stores to read. `nil` means all stores.
    func fetch(_ plan: FetchPlan, in stores: [StoreNumber]?) throws(GraphError) -> RowBatch

    /// Returns the matches of a plan, and a source that reads from the same state of the stores.
    func fetchKeepingState(
        _ plan: FetchPlan, in stores: [StoreNumber]?
    ) throws(GraphError) -> (rows: RowBatch, state: any ObjectSource)

    /// Returns the number of objects that match a plan, after applying its offset and limit.
    ///
    /// - Parameter stores: The stores to read. `nil` means all stores.
    func count(_ plan: FetchPlan, in stores: [StoreNumber]?) throws(GraphError) -> Int

    /// Executes a plan, and returns how each store found the matches. Unsaved changes of contexts are
    /// ignored.
    ///
    /// - Parameter stores: The stores to read. `nil` means all stores.
    func explain(
        _ plan: FetchPlan, in stores: [StoreNumber]?
    ) throws(GraphError) -> [FetchExplanation]

    /// Returns the dictionaries that a plan asks for, with the stored values. Unsaved changes of
    /// contexts are ignored.
    ///
    /// - Parameter stores: The stores to read. `nil` means all stores.
    func dictionaries(
        _ plan: DictionaryPlan, in stores: [StoreNumber]?
    ) throws(GraphError) -> [DictionaryRow]

    /// Returns the row of an ID, from the row cache if possible. Returns `nil` if the ID has no row.
    /// This is the fast way to fire a single fault.
    func row(for id: ObjectID) throws(GraphError) -> Row?

    /// Ensures that no row cache contains rows that were last known to be current longer ago than `age`.
    func refreshCache(olderThan age: Duration) throws(GraphError)

    /// Returns the row of each ID, from the row cache if possible. IDs without a row are left out.
    func rows(for ids: [ObjectID]) throws(GraphError) -> RowBatch

    /// Returns the current row of each ID from its store, without using the row cache.
    func freshRows(for ids: [ObjectID]) throws(GraphError) -> RowBatch

    /// Returns the members of a to-many relationship for each owner. See
    /// ``StoreSnapshot/relatedIDs(_:of:)``.
    func relatedIDs(
        _ relationship: Relationship, of ids: [ObjectID]
    ) throws(GraphError) -> RelatedIDs

    /// Returns the members of several to-many relationships in few calls. See
    /// ``StoreSnapshot/related(_:)``. The answer may lack rows of members; use ``rows(for:)`` to get
    /// them.
    func related(_ questions: [RelatedQuestion]) throws(GraphError) -> RelatedAnswer

    /// Returns bytes that are stored outside a row.
    func externalData(_ reference: ExternalReference) throws(GraphError) -> Data

    /// Saves a change set. Either all of it is saved, or nothing.
    ///
    /// - Parameter objects: The values of the change set's objects.
    func save(
        _ changes: ChangeSet, of objects: any ChangedObjects
    ) throws(GraphError) -> SaveResult

    /// Returns permanent IDs for objects that have not been saved, in the same order.
    ///
    /// - Parameter assignments: The stores of those objects that the program assigned to a store.
    func permanentIDs(
        for temporary: [ObjectID], assignments: [ObjectID: StoreNumber]
    ) throws(GraphError) -> [ObjectID]
}

extension ObjectSource {
    package var holdsUnsavedObjects: Bool { false }
    package var feed: ContextFeed? { nil }
    package var coordinator: PersistentStoreCoordinator? { nil }
    package var refusal: GraphError? { nil }

    package func fetchKeepingState(
        _ plan: FetchPlan, in stores: [StoreNumber]?
    ) throws(GraphError) -> (rows: RowBatch, state: any ObjectSource) {
        (try fetch(plan, in: stores), self)
    }

    /// Explains how the coordinator would execute the plan.
    package func explain(
        _ plan: FetchPlan, in stores: [StoreNumber]?
    ) throws(GraphError) -> [FetchExplanation] {
        guard let coordinator else {
            throw refusal ?? .noStore(entity: plan.entity.name, hasStores: false)
        }
        return try coordinator.explain(plan, in: stores)
    }

    package func row(for id: ObjectID) throws(GraphError) -> Row? {
        let rows = try rows(for: [id])
        return rows.rowIndices.first.map { rows[row: $0] }
    }

    package func related(_ questions: [RelatedQuestion]) throws(GraphError) -> RelatedAnswer {
        var answer = RelatedAnswer()
        for question in questions {
            answer.members.append(try relatedIDs(question.relationship, of: question.owners))
        }
        return answer
    }

    /// Does nothing, because a source whose state never changes has nothing to refresh.
    package func refreshCache(olderThan age: Duration) throws(GraphError) {}
}
