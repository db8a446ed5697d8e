import CairnModel
import Foundation

/// A snapshot of a store whose rows are in memory.
public final class ContentSnapshot: StoreSnapshot {
    private let content: StoreContent
    private let requireOpen: @Sendable () throws(StoreError) -> Void

    /// Keeps one state of a store.
    ///
    /// - Parameter requireOpen: throws `.closed` once the store is closed.
    public init(
        _ content: StoreContent, requireOpen: @escaping @Sendable () throws(StoreError) -> Void
    ) {
        self.content = content
        self.requireOpen = requireOpen
    }

    /// The content's.
    public var generation: StoreGeneration { content.generation }

    /// Finds the rows of the plan's entity by key; the coordinator does the rest.
    public func cursor(_ plan: FetchPlan) throws(StoreError) -> any RowCursor {
        try checkRead()
        let rows = content.table.rows(
            of: plan.entityNumbers, root: plan.entity.rootEntity.number)
        return ContentCursor(plan, rows, requireOpen: requireOpen)
    }

    /// Returns `nil`: the coordinator counts what it has filtered.
    public func count(_ plan: FetchPlan) throws(StoreError) -> Int? {
        try checkRead()
        return nil
    }

    /// Looks each row up by its key.
    public func rows(for ids: [ObjectID]) throws(StoreError) -> RowBatch {
        try checkRead()
        return RowBatch(Set(ids).compactMap(content.table.row))
    }

    /// Looks the members of each owner up by its key.
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

    /// Throws `.externalDataMissing`: rows in memory hold all their values themselves.
    public func externalData(_ reference: ExternalReference) throws(StoreError) -> Data {
        try checkRead()
        return try content.table.externalData(reference)
    }

    private func checkRead() throws(StoreError) {
        try StoreDeadline.check()
        try requireOpen()
    }
}
