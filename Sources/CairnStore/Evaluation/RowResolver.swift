import CairnModel
import Foundation

/// What finds other rows for an evaluator that follows relationships.
///
/// Answers must all be from the state of the store that the tested rows are from.
public protocol RowResolver {
    /// Returns the row of each ID, in the order of `ids`; nil for one that has no row.
    func rows(for ids: [ObjectID]) throws(StoreError) -> [Row?]

    /// Returns the members of a to-many of the row, in its order or else by key.
    func members(of relationship: Relationship, in row: Row) throws(StoreError) -> [ObjectID]

    /// Returns the bytes that a row keeps outside of itself.
    func externalData(_ reference: ExternalReference) throws(StoreError) -> Data
}

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

    /// The ID in the relationship's slot; nil where it is nil, or where rows have no such slot.
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

/// Where one property stands in the rows of each entity that has it.
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

    /// The only entity that has the property, and where it stands there; nil where there are more.
    var only: (entity: EntityNumber, slot: RowLayout.Slot)? {
        slots.count == 1 ? (EntityNumber(first), slots[0]) : nil
    }

    /// nil for a row of another entity, or where rows do not hold the property.
    @inline(__always) func slot(for row: RowPointer) -> RowLayout.Slot? {
        let index = Int(row.entity.rawValue) - Int(first)
        return slots.indices.contains(index) ? slots[index] : nil
    }
}
