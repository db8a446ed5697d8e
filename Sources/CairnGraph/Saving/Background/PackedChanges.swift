import CairnModel
import CairnStore

/// A change set with its rows packed, which holds nothing of its context: so another thread can save it.
struct PackedChanges: Sendable {
    private let inserted: [ObjectID]
    private let updated: [ChangeSet.Update]
    private let deleted: [RowDeletion]
    private let pairs: [PairChange]
    private let assignments: [ObjectID: StoreNumber]
    private let id: SaveID?
    private let author: String?
    private let contextName: String?
    private let watch: SaveWatch?
    private let content: Content

    /// What the source of the context takes.
    private enum Content: Sendable {
        /// Rows with the keys that the objects have now, for stores.
        case rows([ObjectID: Row], RowLayouts)
        /// Values, for a parent context.
        case handedOver(HandedChanges)
    }

    /// Reads the values of the context's objects.
    ///
    /// - Throws: `.relationshipAcrossStores`, `.store`, `.objectGone`.
    init(_ changes: ChangeSet, of context: ManagedObjectContext) throws(GraphError) {
        inserted = changes.inserted
        updated = changes.updated
        deleted = changes.deleted
        pairs = changes.pairs
        assignments = changes.assignments
        id = changes.id
        author = changes.author
        contextName = changes.contextName
        watch = changes.watch
        if let handOver = changes.handOver {
            content = .handedOver(try handOver())
        } else {
            let ids = changes.inserted + changes.updated.map(\.id)
            let objects = ids.compactMap { context.identityMap[$0] }
            content = .rows(try UnsavedRows(context).rows(of: objects), context.source.layouts)
        }
    }

    /// The same changes, for the source of the context.
    var changeSet: ChangeSet {
        var changes: ChangeSet
        switch content {
        case .rows(let rows, let layouts):
            changes = ChangeSet(packer: RowRepacking(rows: rows, layouts: layouts))
        case .handedOver(let handedChanges):
            changes = ChangeSet(packer: RowRepacking(rows: [:], layouts: nil))
            changes.handOver = { () throws(GraphError) in handedChanges }
        }
        changes.inserted = inserted
        changes.updated = updated
        changes.deleted = deleted
        changes.pairs = pairs
        changes.assignments = assignments
        changes.id = id
        changes.author = author
        changes.contextName = contextName
        changes.watch = watch
        return changes
    }
}
