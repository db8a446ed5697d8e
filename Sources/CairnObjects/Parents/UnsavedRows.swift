import CairnModel
import CairnRows
import CairnStack
import CairnStore

/// The objects of a context as rows that include unsaved changes. The context's children read these rows.
///
/// The rows of new objects have temporary keys and version 0.
struct UnsavedRows {
    private let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) {
        self.context = context
    }

    /// Returns the rows of a fetch's results, in the order of the results.
    ///
    /// - Throws: `.relationshipAcrossStores`, `.store`.
    func rows(of found: FetchStorage, idsOnly: Bool) throws(GraphError) -> RowBatch {
        let indices = 0..<found.count
        if idsOnly { return RowBatch(ids: indices.map(found.id(at:))) }
        guard context.identityMap.count > 0 else { return RowBatch(indices.compactMap(found.row)) }
        let objects = indices.map { context.identityMap[found.id(at: $0)] }
        // An object with changes only in to-many relationships may be a fault.
        try context.faults.fire(
            zip(indices, objects).compactMap { found.row(at: $0) == nil ? $1 : nil })
        let packed = try rows(
            of: objects.compactMap { $0 }.filter { $0.row != nil || $0.isInserted })
        return RowBatch(
            indices.compactMap { index in
                objects[index].flatMap { packed[$0.objectID] } ?? found.row(at: index)
            })
    }

    /// Returns the rows of objects. IDs that neither the context nor its source has are left out of the
    /// result.
    ///
    /// - Throws: `.relationshipAcrossStores`, `.store`, `.unknownStore`.
    func rows(for ids: [ObjectID]) throws(GraphError) -> RowBatch {
        var objects: [ManagedObject] = []
        var missing: [ObjectID] = []
        for id in ids {
            let id = context.currentID(id)
            guard let object = context.identityMap[id] else {
                missing.append(id)
                continue
            }
            if object.isDeleted { continue }
            if object.row != nil || object.isInserted {
                objects.append(object)
            } else {
                missing.append(id)
            }
        }
        if !context.source.holdsUnsavedObjects { missing.removeAll(where: \.isTemporary) }
        var batch = RowBatch(try rows(of: objects).values)
        if !missing.isEmpty { batch.append(try context.source.rows(for: missing)) }
        return batch
    }

    /// Returns the row of each object. A new row is packed if the object's values differ from its own
    /// row.
    ///
    /// - Throws: `.relationshipAcrossStores`, `.store`.
    func rows(of objects: [ManagedObject]) throws(GraphError) -> [ObjectID: Row] {
        var rows = [ObjectID: Row](minimumCapacity: objects.count)
        var groups: [StoreNumber: [ManagedObject]] = [:]
        for object in objects {
            if let row = object.row, !needsPacking(object, row) {
                rows[object.objectID] = row
            } else {
                groups[try space(of: object), default: []].append(object)
            }
        }
        for (space, members) in groups { try pack(members, in: space, into: &rows) }
        return rows
    }

    private func needsPacking(_ object: ManagedObject, _ row: Row) -> Bool {
        if let overlay = object.overlay, !overlay.dirty.isEmpty { return true }
        guard context.source.holdsUnsavedObjects else { return false }
        // An ID in the row may have been replaced since the row was read.
        if row.key != object.objectID.key { return true }
        return object.kind.layout.slots.contains {
            $0.kind == .toOne && !row.isNull($0) && row.objectID($0).isTemporary
        }
    }

    /// Returns the store that the permanent keys in the object's row refer to.
    private func space(of object: ManagedObject) throws(GraphError) -> StoreNumber {
        guard object.objectID.isTemporary else { return object.objectID.store }
        for slot in object.kind.layout.slots where slot.kind == .toOne {
            if case .objectID(let id) = try object.value(at: slot.rowSlot), !id.isTemporary {
                return id.store
            }
        }
        return object.objectID.store
    }

    private func pack(
        _ objects: [ManagedObject], in space: StoreNumber, into rows: inout [ObjectID: Row]
    ) throws(GraphError) {
        let packer = ContextPacker(context)
        var writer = RowWriter(store: space, temporarySpace: context.source.temporarySpace)
        for object in objects {
            var isElsewhere = false
            try packer.pack(
                object.objectID, key: object.objectID.key, version: object.row?.version ?? 0,
                into: &writer
            ) { destination in
                let id = context.currentID(destination)
                if !id.isTemporary, id.store != space { isElsewhere = true }
                return id
            }
            if isElsewhere { throw acrossStores(object, space) }
        }
        for (row, object) in zip(writer.takeBatch().rows, objects) { rows[object.objectID] = row }
    }

    private func acrossStores(_ object: ManagedObject, _ space: StoreNumber) -> GraphError {
        for slot in object.kind.layout.slots where slot.kind == .toOne {
            guard case .objectID(let id)? = try? object.value(at: slot.rowSlot), !id.isTemporary,
                id.store != space
            else { continue }
            return .relationshipAcrossStores(
                entity: object.entity.name,
                relationship: object.kind.layout.property(at: slot).name, from: object.objectID,
                to: id)
        }
        return .objectGone(object.objectID, object.absence)
    }

    // MARK: Members

    /// The distance between the order keys of neighbours. A child needs only their order.
    private static let keyStep: Int64 = 1 << 20

    /// Returns the members of a to-many relationship for each owner, without members that the context has
    /// deleted.
    ///
    /// - Throws: `.store`, `.unknownStore`.
    func relatedIDs(
        _ relationship: Relationship, of ids: [ObjectID]
    ) throws(GraphError) -> RelatedIDs {
        let owners = ids.map { context.registeredOrFault($0) }
        if let binding = try owners.lazy.compactMap({ $0 }).first.map({
            owner throws(GraphError) in try owner.kind.binding(relationship.name)
        }), case .relationship(let members) = binding {
            try context.faults.loadMembers(members, of: owners.compactMap { $0 })
        }
        var related = RelatedIDs()
        for owner in owners {
            if let owner, !owner.isDeleted,
                case .relationship(let binding) = try owner.kind.binding(relationship.name)
            {
                let members = try owner.loadedMembers(binding).current
                    .filter { context.identityMap[$0]?.isDeleted != true }
                for (index, member) in members.enumerated() {
                    let key = Int64(index + 1) * Self.keyStep
                    related.append(member, orderKey: binding.isOrdered ? key : nil)
                }
            }
            related.endOwner()
        }
        return related
    }
}
