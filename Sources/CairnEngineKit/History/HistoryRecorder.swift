import CairnModel
import CairnRows
import CairnStore
import Foundation

/// Makes the transaction that a save adds to a store's history.
package struct HistoryRecorder {
    private let layouts: RowLayouts
    private var preserved: [EntityNumber: [PreservedSlot]] = [:]
    /// The names for the changed slots that were asked for last. Consecutive updates usually change
    /// the same properties.
    private var lastNames: (entity: EntityNumber, slots: SlotSet, names: Set<String>)?

    private typealias PreservedSlot = (name: String, slot: RowLayout.Slot)

    package init(_ layouts: RowLayouts) { self.layouts = layouts }

    /// Returns the transaction of a save that is made now. Returns `nil` if the save changes no
    /// object.
    ///
    /// - Parameters:
    ///   - newest: the position of the newest transaction, or `nil` in an empty history.
    ///   - storeID: the identifier of the store.
    ///   - deletedRow: returns the row that a deleted object has before the save. Called only for
    ///     objects whose entities preserve values.
    /// - Throws: the errors of `deletedRow`.
    package mutating func transaction<Failure: Error>(
        of request: SaveRequest, after newest: HistoryPosition?, storeID: String,
        deletedRow: (ObjectID) throws(Failure) -> Row?
    ) throws(Failure) -> PersistentHistoryTransaction? {
        if request.deleted.isEmpty && request.updated.isEmpty && request.inserted.isEmpty {
            return nil
        }
        let touched = request.touchedRelationships
        var changes: [PersistentHistoryChange] = []
        changes.reserveCapacity(
            request.deleted.count + request.updated.count + request.inserted.count)
        for deletion in request.deleted {
            let row = preservesValues(below: deletion.id) ? try deletedRow(deletion.id) : nil
            changes.append(
                PersistentHistoryChange(
                    .delete, deletion.id, tombstone: row.map { tombstone(of: $0) } ?? [:]))
        }
        for update in request.updated {
            var names = names(of: update.changedSlots, update.row.entity)
            if let others = touched[update.row.id] { names.formUnion(others) }
            changes.append(
                PersistentHistoryChange(.update, update.row.id, updatedProperties: names))
        }
        for index in request.inserted.rowIndices {
            changes.append(PersistentHistoryChange(.insert, request.inserted[row: index].id))
        }
        let process = ProcessInfo.processInfo.processName
        return PersistentHistoryTransaction(
            position: HistoryPosition(
                number: (newest?.number ?? 0) + 1, mark: .random(in: .min ... .max)),
            storeID: storeID, timestamp: Date(), author: request.author,
            contextName: request.contextName, processID: process, bundleID: process,
            changes: changes)
    }

    /// Returns whether an object may have attributes whose values are preserved. The ID may only name
    /// a superentity of its entity.
    package mutating func preservesValues(below id: ObjectID) -> Bool {
        layouts.model.entity(numbered: id.entity)?.hierarchy.contains {
            !preservedSlots(of: $0.number).isEmpty
        } ?? false
    }

    /// Returns the values of a row that the model preserves. Values in files of their own are left
    /// out.
    package mutating func tombstone(of row: Row) -> [String: Value] {
        var values: [String: Value] = [:]
        for (name, slot) in preservedSlots(of: row.entity) where !row.isNull(slot) {
            if slot.kind == .externalBinary, case .reference = row.externalBinary(slot) { continue }
            values[name] = row.value(slot)
        }
        return values
    }

    private mutating func preservedSlots(of entity: EntityNumber) -> [PreservedSlot] {
        if let known = preserved[entity] { return known }
        var found: [PreservedSlot] = []
        if let layout = layouts.layout(of: entity) {
            for (slot, property) in zip(layout.slots, layout.properties) {
                guard case .attribute(let attribute) = property,
                    attribute.description.preservesValueInHistoryOnDeletion
                else { continue }
                found.append((property.name, slot))
            }
        }
        preserved[entity] = found
        return found
    }

    private mutating func names(of slots: SlotSet, _ entity: EntityNumber) -> Set<String> {
        if let lastNames, lastNames.entity == entity, lastNames.slots == slots {
            return lastNames.names
        }
        let properties = layouts.layout(of: entity)?.properties ?? []
        let names = Set(slots.filter(properties.indices.contains).map { properties[$0].name })
        lastNames = (entity, slots, names)
        return names
    }
}

extension SaveRequest {
    /// The names of the to-many relationships whose pairs or order the request changes, by object.
    package var touchedRelationships: [ObjectID: Set<String>] {
        var touched: [ObjectID: Set<String>] = [:]
        for pair in pairs {
            touched[pair.owner, default: []].insert(pair.relationship.name)
            if let inverse = pair.relationship.inverse, inverse.isToMany {
                touched[pair.member, default: []].insert(inverse.name)
            }
        }
        return touched
    }
}
