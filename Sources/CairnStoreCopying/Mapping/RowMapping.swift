import CairnModel
import CairnRows

/// Describes how the rows of one entity are converted to the entity that continues it.
///
/// This is a class because it is used for each copied row: only one reference is counted instead of
/// several.
final class RowMapping {
    /// A to-one relationship whose inverse is an ordered to-many relationship.
    struct OrderedOwner {
        /// The source of the slot with the owner.
        let source: SlotMapping
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

    /// A condition that every row of the old entity must meet.
    struct Requirement {
        enum Condition {
            /// The slot has a value. No row has one if the slot is `nil`.
            case value(RowLayout.Slot?)
            /// The value of the slot, if it has one, can be converted.
            case conversion(RowLayout.Slot, ValueConversion)
            /// The slot leads to an object of these entities of the new model. It may have no destination unless
            /// `refusesNull`.
            case destination(RowLayout.Slot, refusesNull: Bool, entities: Range<EntityNumber>)
        }

        let condition: Condition
        /// The reason for refusing a row that does not meet the condition.
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

    /// The number that is added to keys, so that objects of several mappings have different keys.
    let keyOffset: Int64
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
    /// The conditions that have to be checked.
    let requirements: [Requirement]
    /// Whether rows of the old entity are valid rows of the new entity without any conversion.
    let isIdentical: Bool

    /// - Parameter slots: the source of each slot of `new`.
    init(
        from old: RowLayout, to new: RowLayout, slots: [SlotMapping?], keyOffset: Int64 = 0,
        requirements: [Requirement] = [], keepsEntity: Bool
    ) {
        self.old = old
        self.new = new
        self.slots = slots
        self.keyOffset = keyOffset
        self.requirements = requirements
        steps = Self.steps(for: zip(new.slots, slots))
        externalSlots = zip(new.slots, slots).compactMap { slot, mapping in
            guard case .bytes(let source, _)? = mapping, source.kind == .externalBinary else {
                return nil
            }
            return ExternalSlot(old: source, staysExternal: slot.kind == .externalBinary)
        }
        orderedOwners = zip(new.properties, slots).compactMap { property, mapping in
            guard case .relationship(let toOne) = property, let inverse = toOne.inverse,
                inverse.isToMany, inverse.isOrdered, let mapping
            else { return nil }
            return OrderedOwner(source: mapping, relationship: inverse)
        }
        isIdentical =
            keepsEntity && keyOffset == 0 && old.slots.count == new.slots.count
            && zip(slots, new.slots).allSatisfy { mapping, slot in
                mapping?.unchangedSource(for: slot)?.index == slot.index
            }
    }

    /// Creates an inferred mapping.
    ///
    /// - Parameters:
    ///   - keepsNumbers: whether all entities of the old model have the same numbers and subentities in
    ///     the new model.
    ///   - isCoded: whether code sets what cannot be inferred, so that rows need not meet conditions.
    convenience init(
        _ correspondence: ModelCorrespondence, from old: RowLayout, to new: RowLayout,
        keepsNumbers: Bool, isCoded: Bool
    ) {
        let builder = SlotMappingBuilder(
            correspondence, from: old, to: new, keepsNumbers: keepsNumbers, isCoded: isCoded)
        let slots = zip(new.properties, new.slots).map(builder.mapping)
        let requirements =
            isCoded ? [] : zip(new.properties, slots).flatMap(builder.requirements)
        self.init(
            from: old, to: new, slots: slots, requirements: requirements, keepsEntity: keepsNumbers)
    }

    private static func steps(
        for slots: some Sequence<(RowLayout.Slot, SlotMapping?)>
    ) -> [Step] {
        var steps: [Step] = []
        var pairs: [RowTransfer.Pair] = []
        for case (let slot, let mapping?) in slots {
            if let source = mapping.unchangedSource(for: slot) {
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
}

/// Finds the source of each slot's value in a new row.
private struct SlotMappingBuilder {
    let correspondence: ModelCorrespondence
    let old: RowLayout
    let new: RowLayout
    let keepsNumbers: Bool
    let isCoded: Bool

    init(
        _ correspondence: ModelCorrespondence, from old: RowLayout, to new: RowLayout,
        keepsNumbers: Bool, isCoded: Bool
    ) {
        self.keepsNumbers = keepsNumbers
        self.isCoded = isCoded
        self.correspondence = correspondence
        self.old = old
        self.new = new
    }

    func mapping(of property: Property, at slot: RowLayout.Slot) -> SlotMapping? {
        let before = correspondence.oldProperty(named: property.name, of: new.entity)
        let source = before.flatMap { old.slot(named: $0.name) }
        switch property {
        case .attribute(let attribute):
            // An attribute of a type to which values cannot be converted begins as a new one. Code sets it.
            guard let source, case .attribute(let before)? = before,
                before.type == attribute.type || before.type.convertsLosslessly(to: attribute.type)
                    || !isCoded && before.type.isNumeric && attribute.type.isNumeric
            else { return constant(attribute.description) }
            return mapping(of: attribute, at: slot, from: before, at: source)
        case .relationship(let relationship):
            guard let source, source.kind == .toOne else { return nil }
            return .destination(
                source, successors: 0, entities: relationship.destination.hierarchyNumbers,
                keepsNumbers: keepsNumbers)
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

    /// Returns the conditions that every row must meet, given the source of a slot's value.
    func requirements(of property: Property, _ mapping: SlotMapping?) -> [RowMapping.Requirement] {
        let demand = correspondence.demand(for: property, of: new.entity)
        if case .relationship(let toOne) = property,
            case .destination(let slot, _, let entities, _)? = mapping
        {
            guard !toOne.isOptional,
                let finding = demand ?? findingOfLostDestination(of: toOne)
            else { return [] }
            return [
                RowMapping.Requirement(
                    condition: .destination(slot, refusesNull: demand != nil, entities: entities),
                    finding: finding)
            ]
        }
        var found =
            demand.map {
                [RowMapping.Requirement(condition: .value(mapping?.oldSlot), finding: $0)]
            } ?? []
        if case .attribute(let attribute) = property,
            case .converted(let slot, let conversion, _)? = mapping, conversion.mayFail
        {
            let finding = InferenceFinding(
                new.entity.name, attribute.name,
                "the store contains numbers that \(attribute.type) does not represent exactly; change them with"
                    + " the old version, or convert them in code")
            found.append(
                RowMapping.Requirement(condition: .conversion(slot, conversion), finding: finding))
        }
        return found
    }

    private func findingOfLostDestination(of toOne: Relationship) -> InferenceFinding? {
        guard
            case .relationship(let before)? = correspondence.oldProperty(
                named: toOne.name, of: new.entity),
            !correspondence.lostDestinations(of: toOne, continuing: before).isEmpty
        else { return nil }
        return InferenceFinding(
            new.entity.name, toOne.name,
            "it is required, but the store contains objects whose destination belongs to an entity that was"
                + " removed or no longer inherits from “\(toOne.destination.name)”; give them other destinations"
                + " with the old version, or make the relationship optional")
    }

    /// Returns the value of an attribute that was not stored before.
    private func constant(_ attribute: AttributeDescription) -> SlotMapping? {
        attribute.defaultValue == .null || attribute.derivation != nil
            ? nil : .constant(attribute.defaultValue)
    }
}
