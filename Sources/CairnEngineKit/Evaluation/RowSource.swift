import CairnModel
import CairnRows
import CairnStore
import Foundation

/// A source that evaluates packed rows.
package struct RowSource: EvaluationSource {
    /// Objects are packed rows. Reading a value allocates nothing except the value itself.
    package typealias Object = Row
    /// The errors of the resolver. Reading from the row itself never fails.
    package typealias Failure = StoreError

    let layouts: RowLayouts
    let resolver: any RowResolver
    /// The resolver, if it may follow references.
    private let referenceResolver: SnapshotResolver?
    /// Where tests that cannot throw record why they have no result.
    let interruption: FilterInterruption

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - layouts: the layouts of the rows that are read.
    ///   - resolver: finds the rows that relationships lead to.
    package init(layouts: RowLayouts, resolver: any RowResolver) {
        self.init(
            layouts: layouts, resolver: resolver,
            interruption: FilterInterruption(isCancellable: false))
    }

    init(layouts: RowLayouts, resolver: any RowResolver, interruption: FilterInterruption) {
        self.layouts = layouts
        self.resolver = resolver
        referenceResolver = resolver as? SnapshotResolver
        self.interruption = interruption
    }

    /// Returns the ID, which is read from the row's header and its slab.
    package func id(of row: Row) -> ObjectID { row.id }

    /// Returns the value of the attribute's slot, or `.null` if rows of the entity have no such
    /// slot.
    ///
    /// - Throws: the errors of the resolver for bytes that are stored outside of the row.
    package func value(of attribute: Attribute, in row: Row) throws(StoreError) -> Value {
        guard let index = attribute.rowSlot, let layout = layouts.layout(of: row.entity),
            layout.slots.indices.contains(index)
        else { return .null }
        return try value(layout.slots[index], in: row)
    }

    /// Returns the value of a slot. Fetches it from outside of the row if it is stored there.
    func value(_ slot: RowLayout.Slot, in row: Row) throws(StoreError) -> Value {
        if slot.kind == .externalBinary, !row.isNull(slot),
            case .reference(let reference) = row.externalBinary(slot)
        {
            return .binary(try resolver.externalData(reference))
        }
        return row.value(slot)
    }

    /// Returns the ID in the relationship's slot. Returns `nil` if the relationship is `nil`, or if
    /// rows of the entity have no such slot. Never throws, because only the row is read.
    package func destination(
        of relationship: Relationship, in row: Row
    ) throws(StoreError) -> ObjectID? {
        guard let index = relationship.rowSlot, let layout = layouts.layout(of: row.entity),
            layout.slots.indices.contains(index)
        else { return nil }
        let slot = layout.slots[index]
        return row.isNull(slot) ? nil : row.objectID(slot)
    }

    /// Asks the resolver with each call, because rows do not contain the members of to-many
    /// relationships.
    ///
    /// - Throws: the errors of the resolver.
    package func members(
        of relationship: Relationship, in row: Row
    ) throws(StoreError) -> [ObjectID] {
        try resolver.members(of: relationship, in: row)
    }

    /// Asks the resolver. Returns `nil` if it does not follow references.
    ///
    /// - Throws: the errors of the resolver.
    package func object(
        referredToBy reference: Attribute, key: Value
    ) throws(StoreError) -> Row? {
        try referenceResolver?.row(referredToBy: reference, key: key)
    }

    /// Returns `.predicate`.
    package func failure(for error: FetchPredicateError) -> StoreError { .predicate(error) }

    /// Asks the resolver for all of the rows at once.
    ///
    /// - Throws: the errors of the resolver.
    package func objects(for ids: [ObjectID]) throws(StoreError) -> [Row?] {
        try resolver.rows(for: ids)
    }

    /// Returns a reader for which the slot was looked up once for each entity of the hierarchy, so
    /// that no name or layout is looked up for each row.
    package func reader(
        of attribute: Attribute
    ) -> (Row, EvaluationContext<Self>) throws(StoreError) -> Value {
        let slots = SlotTable(attribute.entity, slot: attribute.rowSlot, layouts)
        return { (row, context) throws(StoreError) in
            guard let slot = slots.slot(for: row.pointer) else { return .null }
            return try context.source.value(slot, in: row)
        }
    }
}

/// The slot of one property in the rows of each entity that has the property.
struct SlotTable: Sendable {
    private let first: UInt16
    private let slots: [RowLayout.Slot]

    init(_ entity: Entity, slot: Int?, _ layouts: RowLayouts) {
        first = entity.number.rawValue
        slots = entity.hierarchy.compactMap { entity in
            guard let slot, let layout = layouts.layout(of: entity.number),
                layout.slots.indices.contains(slot)
            else { return nil }
            return layout.slots[slot]
        }
    }

    /// The only entity that has the property, and its slot. `nil` if several entities have the
    /// property.
    var only: (entity: EntityNumber, slot: RowLayout.Slot)? {
        slots.count == 1 ? (EntityNumber(first), slots[0]) : nil
    }

    /// Returns the slot for a row, or `nil` if the row's entity does not have the property or does
    /// not store it in rows.
    @inline(__always) func slot(for row: RowPointer) -> RowLayout.Slot? {
        let index = Int(row.entity.rawValue) - Int(first)
        return slots.indices.contains(index) ? slots[index] : nil
    }
}
