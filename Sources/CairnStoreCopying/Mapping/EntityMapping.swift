import CairnModel
import CairnRows

/// Describes how the rows of one entity are converted to the entity that continues it.
///
/// This is a class because it is used for each copied row: only one reference is counted instead of
/// several.
final class EntityMapping {
    /// A to-one relationship whose inverse is an ordered to-many relationship.
    struct OrderedOwner {
        /// The slot with the owner in rows of the old entity.
        let slot: RowLayout.Slot
        /// The owner's ordered to-many relationship in the new model.
        let relationship: Relationship
    }

    /// A slot with bytes that the old store may keep outside of the row.
    struct ExternalSlot {
        /// The slot in rows of the old entity.
        let old: RowLayout.Slot
        /// Whether the new store may also keep the bytes outside of the row.
        let staysExternal: Bool
    }

    /// A required to-one relationship that may lead to objects that are no longer valid
    /// destinations.
    struct RequiredDestination {
        /// The slot with the destination in rows of the old entity.
        let slot: RowLayout.Slot
        /// The valid entities of a destination in the new model.
        let entities: Range<EntityNumber>
        /// The reason for refusing a row without a valid destination.
        let finding: InferenceFinding
    }

    /// A step of converting a row.
    enum Step {
        /// Copies slots that are equal in both rows.
        case transfer(RowTransfer)
        /// Converts one slot.
        case slot(MappedSlot)
    }

    /// A slot whose value is converted. This is a class because a step is copied for each row.
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
    /// The source of each slot's value, in the order of the slots. `nil` if a slot has no value.
    let slots: [SlotMapping?]
    /// The same mapping in fewer steps, for rows that keep no bytes elsewhere.
    let steps: [Step]
    /// The slots whose bytes may be outside of the row.
    let externalSlots: [ExternalSlot]
    /// The to-one relationships by which a row of this entity is a member of an ordered
    /// relationship.
    let orderedOwners: [OrderedOwner]
    /// The to-one relationships whose destinations have to be checked.
    let requiredDestinations: [RequiredDestination]
    /// Whether rows of the old entity are valid rows of the new entity without any conversion.
    let isIdentical: Bool

    /// - Parameter keepsNumbers: whether all entities of the old model have the same numbers and
    ///   subentities in the new model.
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
            // Variable slots must be set in slot order.
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
            "it is required, but the store contains objects whose destination belongs to an entity that"
                + " was removed or no longer inherits from “\(toOne.destination.name)”; give them other"
                + " destinations with the old version, or make the relationship optional")
    }
}

/// Finds the source of each slot's value in a new row.
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
        // The attribute was optional and is required now, so `nil` is replaced by the default
        // value.
        let isRequiredNow = before.isOptional && !attribute.isOptional
        let missing = isRequiredNow ? attribute.description.defaultValue : .null
        if source.kind == .externalBinary || slot.kind == .externalBinary {
            return .bytes(source, missing: missing)
        }
        if conversion.isNone, missing == .null, source.kind == slot.kind { return .same(source) }
        return .converted(source, conversion: conversion, missing: missing)
    }

    /// Returns the value of an attribute that was not stored before.
    private func constant(_ attribute: AttributeDescription) -> SlotMapping? {
        attribute.defaultValue == .null || attribute.derivation != nil
            ? nil : .constant(attribute.defaultValue)
    }
}
