import CairnModel
import CairnRows
import CairnStore
import CairnThreads
import Foundation

/// A source that cannot be used: each of its methods throws an error that says why.
package final class RefusingSource: ObjectSource {
    private let error: GraphError
    package let layouts: RowLayouts
    package let temporarySpace: StoreNumber
    package let executor: TurnExecutor

    /// The executor of all contexts that are not connected yet. Its threads are created when they are
    /// needed.
    private static let firstExecutor = TurnExecutor(name: "cairn unconnected")
    private static let noLayouts = RowLayouts(.empty)
    private static let noSpace = StoreDirectory.shared.temporarySpace(model: .empty)

    /// Creates the source of a context that is not connected yet.
    package init() {
        error = .notConnected
        layouts = Self.noLayouts
        temporarySpace = Self.noSpace
        executor = Self.firstExecutor
    }

    /// Creates a source that replaces another source and throws `error`.
    package init(_ error: GraphError, like other: any ObjectSource) {
        self.error = error
        layouts = other.layouts
        temporarySpace = other.temporarySpace
        executor = other.executor
    }

    package var refusal: GraphError? { error }

    package func fetch(_ plan: FetchPlan, in stores: [StoreNumber]?) throws(GraphError) -> RowBatch
    {
        throw error
    }

    package func count(_ plan: FetchPlan, in stores: [StoreNumber]?) throws(GraphError) -> Int {
        throw error
    }

    package func dictionaries(
        _ plan: DictionaryPlan, in stores: [StoreNumber]?
    ) throws(GraphError) -> [DictionaryRow] { throw error }

    package func rows(for ids: [ObjectID]) throws(GraphError) -> RowBatch { throw error }

    package func freshRows(for ids: [ObjectID]) throws(GraphError) -> RowBatch { throw error }

    package func relatedIDs(
        _ relationship: Relationship, of ids: [ObjectID]
    ) throws(GraphError) -> RelatedIDs { throw error }

    package func externalData(_ reference: ExternalReference) throws(GraphError) -> Data {
        throw error
    }

    package func save(
        _ changes: ChangeSet, of objects: any ChangedObjects
    ) throws(GraphError) -> SaveResult { throw error }

    package func permanentIDs(
        for temporary: [ObjectID], assignments: [ObjectID: StoreNumber]
    ) throws(GraphError) -> [ObjectID] { throw error }
}
