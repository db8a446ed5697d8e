import CairnModel
import CairnRows
import CairnStore
import Foundation

/// A snapshot of a store whose rows are in memory.
public final class ContentSnapshot: StoreSnapshot {
    private let content: StoreContent
    private let requireOpen: @Sendable () throws(StoreError) -> Void

    /// Creates a snapshot of one state of a store.
    ///
    /// - Parameters:
    ///   - content: the state that the snapshot shows.
    ///   - requireOpen: throws `.closed` once the store is closed.
    public init(
        _ content: StoreContent, requireOpen: @escaping @Sendable () throws(StoreError) -> Void
    ) {
        self.content = content
        self.requireOpen = requireOpen
    }

    /// The generation of the content.
    public var generation: StoreGeneration { content.generation }

    /// Finds the rows of the plan's entity, sorted by key. The coordinator does the rest.
    public func cursor(_ plan: FetchPlan) throws(StoreError) -> any RowCursor {
        try checkRead()
        let rows = content.table.rows(
            of: plan.entityNumbers, root: plan.entity.rootEntity.number)
        return ContentCursor(plan, rows, requireOpen: requireOpen)
    }

    /// Returns `nil`, so that the coordinator counts the rows that it has filtered.
    public func count(_ plan: FetchPlan) throws(StoreError) -> Int? {
        try checkRead()
        return nil
    }

    /// Looks up each row by its key.
    public func rows(for ids: [ObjectID]) throws(StoreError) -> RowBatch {
        try checkRead()
        return RowBatch(Set(ids).compactMap(content.table.row))
    }

    /// Looks up the members of each owner by the owner's key.
    public func relatedIDs(
        _ relationship: Relationship, of ids: [ObjectID]
    ) throws(StoreError) -> RelatedIDs {
        try checkRead()
        var related = RelatedIDs()
        for id in ids {
            var last: Int64 = 0
            for member in content.table.members(of: relationship, owner: id) {
                last = member.orderKey ?? last
                related.append(member.row.id, orderKey: relationship.isOrdered ? last : nil)
            }
            related.endOwner()
        }
        return related
    }

    /// Throws `.externalDataMissing`, because rows in memory contain all of their values.
    public func externalData(_ reference: ExternalReference) throws(StoreError) -> Data {
        try checkRead()
        return try content.table.externalData(reference)
    }

    private func checkRead() throws(StoreError) {
        try StoreDeadline.check()
        try requireOpen()
    }
}
