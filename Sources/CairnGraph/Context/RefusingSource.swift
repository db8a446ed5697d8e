import CairnModel
import CairnStore
import CairnThreads
import Foundation

/// The source of a context that has none: each call throws why.
final class RefusingSource: ObjectSource {
    /// What each call throws.
    private let error: GraphError
    let layouts: RowLayouts
    let temporarySpace: StoreNumber
    let executor: TurnExecutor

    /// Of every context that is not connected yet. Threads are made when they are needed.
    private static let firstExecutor = TurnExecutor(name: "cairn unconnected")
    private static let noLayouts = RowLayouts(.empty)
    private static let noSpace = StoreDirectory.shared.temporarySpace(model: .empty)

    /// The source of a context that was made without one.
    init() {
        error = .notConnected
        layouts = Self.noLayouts
        temporarySpace = Self.noSpace
        executor = Self.firstExecutor
    }

    /// The source of a context whose objects came from elsewhere before.
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
