import CairnModel
import CairnStore
import CairnThreads
import Foundation

/// Where a context's objects come from and its saves go to: the coordinator, or a parent context.
///
/// Contexts use nothing else, so contexts with a parent need no second code path. Calls are
/// synchronous, and each may concern many objects.
package protocol ObjectSource: AnyObject, Sendable {
    /// The layouts of all rows that come from here.
    var layouts: RowLayouts { get }
    /// The store number of the temporary IDs that the contexts of one stack share.
    var temporarySpace: StoreNumber { get }

    /// Whether the source may return objects with temporary IDs. A parent context may.
    var holdsUnsavedObjects: Bool { get }
    /// The contexts that save to this source, which are told of each other's saves. `nil` if the source
    /// does not record them.
    var feed: ContextFeed? { get }
    /// The coordinator at the end of the line of parents. `nil` if there is none.
    var coordinator: PersistentStoreCoordinator? { get }
    /// Why the source has neither a model nor stores. `nil` for a source that has them.
    var refusal: GraphError? { get }
    /// The executor on which tasks run their turns of the source's contexts.
    var executor: TurnExecutor { get }

    /// Returns the matches of a plan from all stores that may contain some. All stages of the plan are
    /// applied.
    ///
    /// - Parameter stores: the stores to ask. `nil` means all.
    func fetch(_ plan: FetchPlan, in stores: [StoreNumber]?) throws(GraphError) -> RowBatch

    /// Returns the matches of a plan, and a source that reads the same state of the stores.
    func fetchKeepingState(
        _ plan: FetchPlan, in stores: [StoreNumber]?
    ) throws(GraphError) -> (rows: RowBatch, state: any ObjectSource)

    /// Returns how many objects the plan matches, after its offset and limit are applied.
    ///
    /// - Parameter stores: the stores to ask. `nil` means all.
    func count(_ plan: FetchPlan, in stores: [StoreNumber]?) throws(GraphError) -> Int

    /// Returns the dictionaries that a plan asks for, with the stored values. Unsaved changes of
    /// contexts are ignored.
    ///
    /// - Parameter stores: the stores to ask. `nil` means all.
    func dictionaries(
        _ plan: DictionaryPlan, in stores: [StoreNumber]?
    ) throws(GraphError) -> [[String: Value]]

    /// Returns the row of an ID, from the row cache if it is there. Returns `nil` if the ID has no row.
    /// This is the short way to fire a single fault.
    func row(for id: ObjectID) throws(GraphError) -> Row?

    /// Makes sure that no row cache contains a row that was read or known to be current longer ago than
    /// `age`.
    func refreshCache(olderThan age: Duration) throws(GraphError)

    /// Returns the row of each ID, from the row cache if it is there. IDs without a row are left out of
    /// the result.
    func rows(for ids: [ObjectID]) throws(GraphError) -> RowBatch

    /// Returns the current row of each ID from its store, without using the row cache.
    func freshRows(for ids: [ObjectID]) throws(GraphError) -> RowBatch

    /// Returns the members of a to-many for each owner; see ``StoreSnapshot/relatedIDs(_:of:)``.
    func relatedIDs(
        _ relationship: Relationship, of ids: [ObjectID]
    ) throws(GraphError) -> RelatedIDs

    /// Returns the members of several to-many relationships in few calls; see
    /// ``StoreSnapshot/related(_:)``. Rows may be missing from the answer; ``rows(for:)`` returns them.
    func related(_ questions: [RelatedQuestion]) throws(GraphError) -> RelatedAnswer

    /// Returns bytes that are stored outside of a row.
    func externalData(_ reference: ExternalReference) throws(GraphError) -> Data

    /// Saves a change set, all of it or nothing.
    ///
    /// - Parameter objects: the values of the objects of the change set.
    func save(
        _ changes: ChangeSet, of objects: any ChangedObjects
    ) throws(GraphError) -> SaveResult

    /// Gives permanent IDs to objects that have not been saved, in the same order.
    ///
    /// - Parameter assignments: the stores of the objects that the program assigned to a store.
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

    /// A source whose state never changes has nothing to refresh.
    package func refreshCache(olderThan age: Duration) throws(GraphError) {}
}
