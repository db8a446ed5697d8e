import CairnModel
import CairnRows
import CairnStack

/// The objects of a change set at one moment, without references to their context, so that another thread
/// can save them.
struct PackedObjects: ChildObjects, Sendable {
    /// The form that the context's source accepts.
    private enum Content: Sendable {
        /// Rows with the objects' current keys, for stores.
        case rows([ObjectID: Row], RowLayouts)
        /// Values, for a parent context.
        case values(ChildChanges)
    }

    private let content: Content

    /// Reads the values of the context's objects.
    ///
    /// - Throws: `.relationshipAcrossStores`, `.store`, `.objectGone`.
    init(_ changes: ChangeSet, of context: ManagedObjectContext) throws(GraphError) {
        if context.source.holdsUnsavedObjects {
            content = .values(try ChildChanges(changes, of: context))
        } else {
            let ids = changes.inserted + changes.updated.map(\.id)
            let objects = ids.compactMap { context.identityMap[$0] }
            content = .rows(try UnsavedRows(context).rows(of: objects), context.source.layouts)
        }
    }

    func pack(
        _ id: ObjectID, key: Int64, version: Int64, into writer: inout RowWriter,
        resolving permanent: (ObjectID) -> ObjectID
    ) throws(GraphError) {
        guard case .rows(let rows, let layouts) = content, let row = rows[id],
            let layout = layouts.layout(of: row.entity)
        else {
            throw .objectGone(id, .leftContext)
        }
        writer.begin(layout, key: key, version: version, fixedSlotsOf: row)
        for slot in layout.slots where !row.isNull(slot) {
            if slot.kind == .toOne {
                let destination = permanent(row.objectID(slot))
                writer.set(key: destination.key, entity: destination.entity, at: slot)
            } else if slot.kind.isVariable {
                do {
                    try writer.set(slot, from: row)
                } catch {
                    throw GraphError(error)
                }
            }
        }
        writer.endRow()
    }

    func childChanges(of changes: ChangeSet) throws(GraphError) -> ChildChanges {
        // Only a source that holds unsaved objects asks for values, and for such a source the content is
        // values.
        guard case .values(let values) = content else { throw .notConnected }
        return values
    }
}
