import CairnModel
import CairnRows
import CairnStack
import CairnStore
import CairnThreads
import Foundation

/// A source that cannot be used: each of its methods throws an error that says why.
final class RefusingSource: ObjectSource {
    private let error: GraphError
    let layouts: RowLayouts
    let temporarySpace: StoreNumber
    let executor: TurnExecutor

    /// The executor of all contexts that are not connected yet. Its threads are created when they are
    /// needed.
    private static let firstExecutor = TurnExecutor(name: "cairn unconnected")
    private static let noLayouts = RowLayouts(.empty)
    private static let noSpace = StoreDirectory.shared.temporarySpace(model: .empty)

    /// Creates the source of a context that is not connected yet.
    init() {
        error = .notConnected
        layouts = Self.noLayouts
        temporarySpace = Self.noSpace
        executor = Self.firstExecutor
    }

    /// Creates a source that replaces another source and throws `error`.
    init(_ error: GraphError, like other: any ObjectSource) {
        self.error = error
        layouts = other.layouts
        temporarySpace = other.temporarySpace
        executor = other.executor
    }

    var refusal: GraphError? { error }

    func fetch(_ plan: FetchPlan, in stores: [StoreNumber]?) throws(GraphError) -> RowBatch {
        throw error
    }

    func count(_ plan: FetchPlan, in stores: [StoreNumber]?) throws(GraphError) -> Int {
        throw error
    }

    func dictionaries(
        _ plan: DictionaryPlan, in stores: [StoreNumber]?
    ) throws(GraphError) -> [[String: Value]] { throw error }

    func rows(for ids: [ObjectID]) throws(GraphError) -> RowBatch { throw error }

    func freshRows(for ids: [ObjectID]) throws(GraphError) -> RowBatch { throw error }

    func relatedIDs(
        _ relationship: Relationship, of ids: [ObjectID]
    ) throws(GraphError) -> RelatedIDs { throw error }

    func externalData(_ reference: ExternalReference) throws(GraphError) -> Data { throw error }

    func save(
        _ changes: ChangeSet, of objects: any ChangedObjects
    ) throws(GraphError) -> SaveResult { throw error }

    func permanentIDs(
        for temporary: [ObjectID], assignments: [ObjectID: StoreNumber]
    ) throws(GraphError) -> [ObjectID] { throw error }
}
