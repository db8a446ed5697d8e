import CairnModel
import CairnStore
import CairnThreads
import Foundation

/// Where a context's objects come from and its saves go: the coordinator, or a parent context.
///
/// Contexts know nothing else, so parent and child need no second code path. Calls are
/// synchronous and carry many objects.
package protocol ObjectSource: AnyObject, Sendable {
    /// The layouts of all rows that come from here.
    var layouts: RowLayouts { get }
    /// The space of temporary IDs that the contexts of one stack share.
    var temporarySpace: StoreNumber { get }

    /// Whether objects with temporary IDs may come from here: a parent context's.
    var holdsUnsavedObjects: Bool { get }
    /// The contexts that save here, to be told of each other's saves; nil: nobody keeps track.
    var feed: ContextFeed? { get }
    /// The coordinator at the end of a line of parents; nil: there is none.
    var coordinator: PersistentStoreCoordinator? { get }
    /// Why the source has neither a model nor stores. `nil` for a source that has them.
    var refusal: GraphError? { get }
    /// Where tasks have their turns of the contexts that are made on the source.
    var executor: TurnExecutor { get }

    /// Returns the matches of a plan, every stage of it done, over all stores that may hold them.
    ///
    /// - Parameter stores: only these; nil: all.
    func fetch(_ plan: FetchPlan, in stores: [StoreNumber]?) throws(GraphError) -> RowBatch

    /// Returns the matches of a plan, and a source that reads the state that they are from.
    func fetchKeepingState(
        _ plan: FetchPlan, in stores: [StoreNumber]?
    ) throws(GraphError) -> (rows: RowBatch, state: any ObjectSource)

    /// Returns how many objects the plan matches, offset and limit applied.
    ///
    /// - Parameter stores: only these; nil: all.
    func count(_ plan: FetchPlan, in stores: [StoreNumber]?) throws(GraphError) -> Int

    /// Returns the dictionaries that a plan asks for, as the stores have the values: no context's
    /// unsaved changes count.
    ///
    /// - Parameter stores: only these; nil: all.
    func dictionaries(
        _ plan: DictionaryPlan, in stores: [StoreNumber]?
    ) throws(GraphError) -> [[String: Value]]

    /// Returns the row of an ID, from the row cache where it is there; nil where there is none. The
    /// short way to fire a single fault.
    func row(for id: ObjectID) throws(GraphError) -> Row?

    /// Makes sure that no row cache holds a row that was true longer ago than that.
    func refreshCache(olderThan age: Duration) throws(GraphError)

    /// Returns the row of each ID, from the row cache where it is there; an ID without is absent.
    func rows(for ids: [ObjectID]) throws(GraphError) -> RowBatch

    /// Returns the row of each ID as it is in the store now, the row cache passed by.
    func freshRows(for ids: [ObjectID]) throws(GraphError) -> RowBatch

    /// Returns the members of a to-many for each owner; see ``StoreSnapshot/relatedIDs(_:of:)``.
    func relatedIDs(
        _ relationship: Relationship, of ids: [ObjectID]
    ) throws(GraphError) -> RelatedIDs

    /// Returns the members of several to-manys in few calls; see ``StoreSnapshot/related(_:)``. Rows
    /// may be missing: ``rows(for:)`` has them.
    func related(_ questions: [RelatedQuestion]) throws(GraphError) -> RelatedAnswer

    /// Returns bytes that a row keeps outside of itself.
    func externalData(_ reference: ExternalReference) throws(GraphError) -> Data

    /// Saves a change set, all of it or nothing.
    ///
    /// - Parameter objects: the values of the objects of the change set.
    func save(
        _ changes: ChangeSet, of objects: any ChangedObjects
    ) throws(GraphError) -> SaveResult

    /// Gives permanent IDs to objects that have not been saved, in the same order.
    ///
    /// - Parameter assignments: the store of each object that was given one by hand.
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

    package func refreshCache(olderThan age: Duration) throws(GraphError) {}
}
