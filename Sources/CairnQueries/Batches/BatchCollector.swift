import CairnModel
import CairnObjects
import CairnRows
import CairnStack
import CairnStore
import CairnThreads
import Foundation

/// The source of the contexts in which a batch creates or changes objects, some thousand at a time. It reads what
/// the coordinator reads, and collects what the contexts changed, as packed rows.
final class BatchCollector: ObjectSource {
    private let stack: PersistentStoreCoordinator
    let entity: Entity

    /// The number of objects in memory at a time.
    static let objectCount = 4096

    init(_ stack: PersistentStoreCoordinator, _ entity: Entity) {
        self.stack = stack
        self.entity = entity
    }

    /// Calls a closure with a context, and collects what it changes.
    ///
    /// - Parameter updated: The objects that the closure changes. If `nil`, it inserts objects.
    /// - Throws: `.batchRefused` if the closure changes other objects; `.validation`; what the closure throws.
    func collect(
        into collected: BatchContent, _ classes: ObjectClasses, updating updated: [ObjectID]?,
        _ body: (ManagedObjectContext) throws -> Void
    ) throws {
        try inContext(classes, body) { changes, objects throws(GraphError) in
            try check(changes, updating: updated)
            try collect(changes, objects, into: collected)
        }
    }

    /// Gives attributes of all rows of one entity the same values, which one of the objects converts and validates.
    ///
    /// - Parameters:
    ///   - names: The names of the attributes.
    ///   - change: Sets the values of an object.
    func update(
        _ rows: [Row], _ names: [String], into collected: BatchContent, _ classes: ObjectClasses,
        _ change: (ManagedObject) throws -> Void
    ) throws {
        guard let first = rows.first, let layout = layouts.layout(of: first.entity) else { return }
        var changed: Row?
        try inContext(classes) { context in
            if let object = context.materialize(first) { try change(object) }
        } _: { changes, objects throws(GraphError) in
            try check(changes, updating: [first.id])
            guard let update = changes.updated.first else { return }
            var writer = RowWriter(store: first.id.store, rowCount: 1)
            try pack(
                first.id, first.id, version: update.previousVersion &+ 1, objects, IDReplacements(),
                &writer)
            changed = Array(writer.takeBatch().rows).first
        }
        // If the object had the values already, others get its values.
        let values = changed ?? first
        var slots = SlotSet()
        for name in names { layout.slot(named: name).map { slots.insert(Int($0.index)) } }
        let set = layout.slots.filter { slots.contains(Int($0.index)) }
        var writer = RowWriter(store: first.id.store, rowCount: rows.count)
        var changes: [SlotSet] = []
        for row in rows {
            var changed = SlotSet()
            for slot in set where !row.hasSameValue(as: values, at: slot) {
                changed.insert(Int(slot.index))
            }
            if changed.isEmpty { continue }
            changes.append(changed)
            writer.begin(
                layout, key: row.id.key, version: row.version &+ 1, fixedSlotsOf: row)
            do {
                for slot in layout.slots {
                    if slots.contains(Int(slot.index)) {
                        if values.isNull(slot) {
                            writer.setNull(at: slot)
                        } else {
                            try writer.set(slot, from: values)
                        }
                    } else if slot.kind.isVariable {
                        try writer.set(slot, from: row)
                    }
                }
            } catch {
                throw GraphError(error)
            }
            writer.endRow()
        }
        for (row, changed) in zip(writer.takeBatch().rows, changes) {
            try collected.update(row, changed)
        }
    }

    /// Calls a closure with a context, and another with what the first one changed.
    private func inContext(
        _ classes: ObjectClasses, _ body: (ManagedObjectContext) throws -> Void,
        _ collect: (ChangeSet, any ChangedObjects) throws(GraphError) -> Void
    ) throws {
        // A context for each part, because it is never saved, and its observers need not know that it is emptied.
        let context = ManagedObjectContext(
            source: self, concurrencyType: .privateQueue, classes: classes)
        try context.performAndWait {
            try body(context)
            try context.collectChanges(collect)
        }
    }

    private func collect(
        _ changes: ChangeSet, _ objects: any ChangedObjects, into collected: BatchContent
    ) throws(GraphError) {
        let ids = try stack.permanentIDs(for: changes.inserted, assignments: changes.assignments)
        let permanentIDs = IDReplacements(changes.inserted, ids)
        var rows = RowBatch()
        for part in ids.indices.runs(by: { ids[$0].store }) {
            var writer = RowWriter(store: ids[part.lowerBound].store, rowCount: part.count)
            for index in part {
                try pack(
                    changes.inserted[index], ids[index], version: 1, objects, permanentIDs, &writer)
            }
            rows.append(writer.takeBatch())
        }
        try collected.insert(rows)
        let updates = changes.updated
        for part in updates.indices.runs(by: { updates[$0].id.store }) {
            var writer = RowWriter(store: updates[part.lowerBound].id.store, rowCount: part.count)
            for update in updates[part] {
                try pack(
                    update.id, update.id, version: update.previousVersion &+ 1, objects,
                    permanentIDs, &writer)
            }
            for (row, update) in zip(writer.takeBatch().rows, updates[part]) {
                try collected.update(row, update.changedSlots)
            }
        }
    }

    private func pack(
        _ id: ObjectID, _ permanent: ObjectID, version: Int64, _ objects: any ChangedObjects,
        _ permanentIDs: IDReplacements, _ writer: inout RowWriter
    ) throws(GraphError) {
        var elsewhere: ObjectID?
        try objects.pack(id, key: permanent.key, version: version, into: &writer) {
            let destination = permanentIDs.current($0)
            if destination.store != permanent.store || destination.isTemporary { elsewhere = $0 }
            return destination
        }
        if let elsewhere {
            throw .batchRefused(
                entity: entity.name,
                reason:
                    "\(permanent) would lead to \(elsewhere), which is unsaved or in another store")
        }
    }

    private func check(
        _ changes: ChangeSet, updating updated: [ObjectID]?
    ) throws(GraphError) {
        let isExpected: Bool
        if let updated {
            let ids = Set(updated)
            isExpected =
                changes.inserted.isEmpty && changes.updated.allSatisfy { ids.contains($0.id) }
        } else {
            isExpected = changes.updated.isEmpty
        }
        guard isExpected, changes.deleted.isEmpty, changes.pairs.isEmpty else {
            throw .batchRefused(
                entity: entity.name,
                reason: "other objects, or many-to-many or ordered relationships, would change;"
                    + " a batch sets attributes, and to-one relationships whose inverse is not to-one"
            )
        }
    }

    // MARK: Reading

    var layouts: RowLayouts { stack.layouts }
    var temporarySpace: StoreNumber { stack.temporarySpace }
    var coordinator: PersistentStoreCoordinator? { stack }
    var executor: TurnExecutor { stack.executor }

    func fetch(_ plan: FetchPlan, in stores: [StoreNumber]?) throws(GraphError) -> RowBatch {
        try stack.fetch(plan, in: stores)
    }

    func count(_ plan: FetchPlan, in stores: [StoreNumber]?) throws(GraphError) -> Int {
        try stack.count(plan, in: stores)
    }

    func dictionaries(
        _ plan: DictionaryPlan, in stores: [StoreNumber]?
    ) throws(GraphError) -> [DictionaryRow] { try stack.dictionaries(plan, in: stores) }

    /// Reads the newest rows, because a batch changes the newest state.
    func rows(for ids: [ObjectID]) throws(GraphError) -> RowBatch { try stack.freshRows(for: ids) }

    func freshRows(for ids: [ObjectID]) throws(GraphError) -> RowBatch {
        try stack.freshRows(for: ids)
    }

    func relatedIDs(
        _ relationship: Relationship, of ids: [ObjectID]
    ) throws(GraphError) -> RelatedIDs { try stack.relatedIDs(relationship, of: ids) }

    func externalData(_ reference: ExternalReference) throws(GraphError) -> Data {
        try stack.externalData(reference)
    }

    /// The contexts are never saved.
    func save(
        _ changes: ChangeSet, of objects: any ChangedObjects
    ) throws(GraphError) -> SaveResult {
        throw .batchRefused(
            entity: entity.name, reason: "the batch saves its objects when all of them are complete"
        )
    }

    func permanentIDs(
        for temporary: [ObjectID], assignments: [ObjectID: StoreNumber]
    ) throws(GraphError) -> [ObjectID] {
        try stack.permanentIDs(for: temporary, assignments: assignments)
    }
}

extension Row {
    /// Returns whether another row of the same layout has the same value in a slot. Makes no strings and no data.
    fileprivate func hasSameValue(as other: Row, at slot: RowLayout.Slot) -> Bool {
        guard slot.kind.isVariable, !isNull(slot), !other.isNull(slot) else {
            return value(slot) == other.value(slot)
        }
        return unsafeBytes(slot).elementsEqual(other.unsafeBytes(slot))
    }
}

extension Range<Int> {
    /// Returns the parts of consecutive indices for which a function returns the same.
    fileprivate func runs<Key: Equatable>(by key: (Int) -> Key) -> [Range<Int>] {
        var (parts, start) = ([Range<Int>](), lowerBound)
        for index in self where index + 1 == upperBound || key(index) != key(index + 1) {
            parts.append(start..<index + 1)
            start = index + 1
        }
        return parts
    }
}
