import CairnModel
import Foundation

/// Packed rows as an evaluator sees them.
public struct RowSource: EvaluationSource {
    /// Objects are their packed rows: reading a value allocates nothing but the value.
    public typealias Object = Row
    /// What the resolver throws; a row's own bytes never fail to be read.
    public typealias Failure = StoreError

    let layouts: RowLayouts
    let resolver: any RowResolver
    /// Where tests that cannot throw note why they have no answer.
    let interruption: FilterInterruption

    /// - Parameter resolver: asked for the rows that relationships lead to.
    public init(layouts: RowLayouts, resolver: any RowResolver) {
        self.init(
            layouts: layouts, resolver: resolver,
            interruption: FilterInterruption(isCancellable: false))
    }

    init(layouts: RowLayouts, resolver: any RowResolver, interruption: FilterInterruption) {
        self.layouts = layouts
        self.resolver = resolver
        self.interruption = interruption
    }

    /// Read from the row's header and its slab.
    public func id(of row: Row) -> ObjectID { row.id }

    /// The value of the attribute's slot; `.null` where rows of the entity have no such slot.
    ///
    /// - Throws: what the resolver throws for bytes that are kept outside of the row.
    public func value(of attribute: Attribute, in row: Row) throws(StoreError) -> Value {
        guard let index = attribute.rowSlot, let layout = layouts.layout(of: row.entity),
            layout.slots.indices.contains(index)
        else { return .null }
        return try value(layout.slots[index], in: row)
    }

    /// The value of a slot, fetched from outside of the row where it is kept there.
    func value(_ slot: RowLayout.Slot, in row: Row) throws(StoreError) -> Value {
        if slot.kind == .externalBinary, !row.isNull(slot),
            case .reference(let reference) = row.externalBinary(slot)
        {
            return .binary(try resolver.externalData(reference))
        }
        return row.value(slot)
    }

    /// The ID in the relationship's slot. `nil` if it is nil, or where rows have no such slot.
    /// Never throws: nothing but the row is read.
    public func destination(
        of relationship: Relationship, in row: Row
    ) throws(StoreError) -> ObjectID? {
        guard let index = relationship.rowSlot, let layout = layouts.layout(of: row.entity),
            layout.slots.indices.contains(index)
        else { return nil }
        let slot = layout.slots[index]
        return row.isNull(slot) ? nil : row.objectID(slot)
    }

    /// Asks the resolver each time: rows do not hold the members of a to-many.
    ///
    /// - Throws: what the resolver throws.
    public func members(
        of relationship: Relationship, in row: Row
    ) throws(StoreError) -> [ObjectID] {
        try resolver.members(of: relationship, in: row)
    }

    /// Returns `.predicate`.
    public func failure(for error: FetchPredicateError) -> StoreError { .predicate(error) }

    /// Asks the resolver for all of the rows at once.
    ///
    /// - Throws: what the resolver throws.
    public func objects(for ids: [ObjectID]) throws(StoreError) -> [Row?] {
        try resolver.rows(for: ids)
    }

    /// Looks the slot up once for each entity of the hierarchy, so that no name or layout is
    /// resolved per row.
    public func reader(
        of attribute: Attribute
    ) -> (Row, EvaluationContext<Self>) throws(StoreError) -> Value {
        let slots = SlotTable(attribute.entity, slot: attribute.rowSlot, layouts)
        return { (row, context) throws(StoreError) in
            guard let slot = slots.slot(for: row.pointer) else { return .null }
            return try context.source.value(slot, in: row)
        }
    }
}
