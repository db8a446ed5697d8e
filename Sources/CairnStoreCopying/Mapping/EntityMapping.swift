import CairnModel
import CairnStore

/// How the rows of one entity become rows of the entity that continues it.
///
/// A class, because each row that is copied asks for it: one reference is counted instead of several.
final class EntityMapping {
    /// A to-one whose inverse is an ordered to-many.
    struct OrderedOwner {
        /// Where a row of the old entity keeps the owner.
        let slot: RowLayout.Slot
        /// The ordered to-many of the owner, in the new model.
        let relationship: Relationship
    }

    /// Bytes that the old store may keep outside of the row.
    struct ExternalSlot {
        /// Where a row of the old entity keeps them.
        let old: RowLayout.Slot
        /// Whether the new store may keep them outside of the row, too.
        let staysExternal: Bool
    }

    /// A to-one that is required, and may lead to objects that it cannot lead to any more.
    struct RequiredDestination {
        /// Where a row of the old entity keeps the destination.
        let slot: RowLayout.Slot
        /// The entities that a destination may be of, in the new model.
        let entities: Range<EntityNumber>
        /// Says why a row without such a destination is refused.
        let finding: InferenceFinding
    }

    /// One step of making a row.
    enum Step {
        /// The slots that are the same in both rows.
        case transfer(RowTransfer)
        /// Another slot.
        case slot(MappedSlot)
    }

    /// A slot that gets another value. A class, because a step is copied for each row.
    final class MappedSlot {
        let slot: RowLayout.Slot
        let mapping: SlotMapping

        init(_ slot: RowLayout.Slot, _ mapping: SlotMapping) {
            self.slot = slot
            self.mapping = mapping
        }
    }

    /// The layout of the rows that are read.
    let old: RowLayout
    /// The layout of the rows that are written.
    let new: RowLayout
    /// Where the value of each slot comes from, in the order of the slots. An absent value is `nil`.
    let slots: [SlotMapping?]
    /// The same for rows that keep no bytes elsewhere, in fewer steps.
    let steps: [Step]
    /// The slots whose bytes may be outside of the row.
    let externalSlots: [ExternalSlot]
    /// The to-ones by which other objects have a row of this entity in an order.
    let orderedOwners: [OrderedOwner]
    /// The to-ones whose destinations have to be looked at.
    let requiredDestinations: [RequiredDestination]
    /// Whether a row of the old entity is one of the new entity as it stands.
    let isIdentical: Bool

    /// - Parameter keepsNumbers: whether all entities of the old model have the same numbers and
    ///   subentities in the new one.
    init(
        _ correspondence: ModelCorrespondence, from old: RowLayout, to new: RowLayout,
        keepsNumbers: Bool
    ) {
        self.old = old
        self.new = new
        let builder = SlotMappingBuilder(correspondence, from: old, to: new)
        slots = zip(new.properties, new.slots).map(builder.mapping)
        steps = Self.steps(for: zip(new.slots, slots), keepsNumbers: keepsNumbers)
        externalSlots = zip(new.slots, slots).compactMap { slot, mapping in
            guard case .bytes(let source, _)? = mapping, source.kind == .externalBinary else {
                return nil
            }
            return ExternalSlot(old: source, staysExternal: slot.kind == .externalBinary)
        }
        orderedOwners = zip(new.properties, slots).compactMap { property, mapping in
            guard case .relationship(let toOne) = property, let inverse = toOne.inverse,
                inverse.isToMany, inverse.isOrdered, case .destination(let slot, _)? = mapping
            else { return nil }
            return OrderedOwner(slot: slot, relationship: inverse)
        }
        requiredDestinations = zip(new.properties, slots).compactMap { property, mapping in
            guard case .relationship(let toOne) = property, !toOne.isOptional,
                case .destination(let slot, let entities)? = mapping,
                case .relationship(let before)? = correspondence.oldProperty(
                    named: toOne.name, of: new.entity),
                !correspondence.lostDestinations(of: toOne, continuing: before).isEmpty
            else { return nil }
            return RequiredDestination(
                slot: slot, entities: entities, finding: Self.finding(new.entity, toOne))
        }
        isIdentical =
            keepsNumbers && old.slots.count == new.slots.count
            && zip(slots, new.slots).allSatisfy { mapping, slot in
                mapping?.unchangedSource(for: slot, keepsNumbers: true)?.index == slot.index
            }
    }

    private static func steps(
        for slots: some Sequence<(RowLayout.Slot, SlotMapping?)>, keepsNumbers: Bool
    ) -> [Step] {
        var steps: [Step] = []
        var pairs: [RowTransfer.Pair] = []
        for case (let slot, let mapping?) in slots {
            if let source = mapping.unchangedSource(for: slot, keepsNumbers: keepsNumbers) {
                pairs.append((source, slot))
                continue
            }
            // Variable slots are set in their order.
            if slot.kind.isVariable, !pairs.isEmpty {
                steps.append(.transfer(RowTransfer(pairs)))
                pairs = []
            }
            steps.append(.slot(MappedSlot(slot, mapping)))
        }
        if !pairs.isEmpty { steps.append(.transfer(RowTransfer(pairs))) }
        return steps
    }

    private static func finding(_ entity: Entity, _ toOne: Relationship) -> InferenceFinding {
        InferenceFinding(
            entity.name, toOne.name,
            "it is required, and the store has objects whose destination is of an entity that was"
                + " removed or left the hierarchy of “\(toOne.destination.name)”; give them other"
                + " destinations with the old version, or make it optional")
    }
}

/// Finds where the value of each slot of a new row comes from.
private struct SlotMappingBuilder {
    let correspondence: ModelCorrespondence
    let old: RowLayout
    let new: RowLayout

    init(_ correspondence: ModelCorrespondence, from old: RowLayout, to new: RowLayout) {
        self.correspondence = correspondence
        self.old = old
        self.new = new
    }

    func mapping(of property: Property, at slot: RowLayout.Slot) -> SlotMapping? {
        let before = correspondence.oldProperty(named: property.name, of: new.entity)
        let source = before.flatMap { old.slot(named: $0.name) }
        switch property {
        case .attribute(let attribute):
            guard let source, case .attribute(let before)? = before else {
                return constant(attribute.description)
            }
            return mapping(of: attribute, at: slot, from: before, at: source)
        case .relationship(let relationship):
            guard let source, source.kind == .toOne else { return nil }
            return .destination(source, entities: relationship.destination.hierarchyNumbers)
        case .fetchedProperty: return nil
        }
    }

    private func mapping(
        of attribute: Attribute, at slot: RowLayout.Slot, from before: Attribute,
        at source: RowLayout.Slot
    ) -> SlotMapping {
        let conversion = ValueConversion(
            from: before.description, to: attribute.description, in: correspondence)
        // A value that was allowed to be absent, and is not any more.
        let isRequiredNow = before.isOptional && !attribute.isOptional
        let missing = isRequiredNow ? attribute.description.defaultValue : .null
        if source.kind == .externalBinary || slot.kind == .externalBinary {
            return .bytes(source, missing: missing)
        }
        if conversion.isNone, missing == .null, source.kind == slot.kind { return .same(source) }
        return .converted(source, conversion: conversion, missing: missing)
    }

    /// The value of an attribute that was not stored before.
    private func constant(_ attribute: AttributeDescription) -> SlotMapping? {
        attribute.defaultValue == .null || attribute.derivation != nil
            ? nil : .constant(attribute.defaultValue)
    }
}
