/// Compares two versions of one property.
struct PropertyComparison {
    let old: PropertyChange.Side
    let new: PropertyChange.Side
    /// Knows which entities and properties were only renamed. `nil` for an element of a composite.
    var entities: ModelComparison?

    func aspects() -> [PropertyAspect] {
        PropertyAspect.allCases.filter { aspect in
            switch aspect {
            case .name: old.property.name != new.property.name
            case .declaringEntity: hasMoved
            case .renamingIdentifier where old.property.name != new.property.name: false
            default: differs(aspect)
            }
        }
    }

    private func differs(_ aspect: PropertyAspect) -> Bool {
        switch (old.property, new.property) {
        case (.attribute(let before), .attribute(let after)):
            Self.differs(aspect, before, after)
        case (.relationship(let before), .relationship(let after)):
            differs(aspect, before, after)
        case (.fetchedProperty(let before), .fetchedProperty(let after)):
            Self.differs(aspect, before, after)
        default: aspect == .kind
        }
    }

    private var hasMoved: Bool { newName(of: old.declaringEntity) != new.declaringEntity }

    private func newName(of entity: String) -> String {
        entities?.newName(of: entity) ?? entity
    }

    private static func differs(
        _ aspect: PropertyAspect, _ old: AttributeDescription, _ new: AttributeDescription
    ) -> Bool {
        switch aspect {
        case .isOptional: old.isOptional != new.isOptional
        case .isTransient: old.isTransient != new.isTransient
        case .isIndexed: old.isIndexed != new.isIndexed
        case .isSyncable: old.isSyncable != new.isSyncable
        case .versionHashModifier: old.versionHashModifier != new.versionHashModifier
        case .renamingIdentifier: old.renamingIdentifier != new.renamingIdentifier
        case .userInfo: old.userInfo != new.userInfo
        case .type: old.type != new.type
        case .defaultValue: old.defaultValue != new.defaultValue
        case .validationRules: old.validationRules != new.validationRules
        case .derivation: old.derivation != new.derivation
        case .compositeName: old.compositeName != new.compositeName
        case .valueTransformerName: old.valueTransformerName != new.valueTransformerName
        case .valueClassName: old.valueClassName != new.valueClassName
        case .usesScalarValueType: old.usesScalarValueType != new.usesScalarValueType
        case .allowsExternalBinaryDataStorage:
            old.allowsExternalBinaryDataStorage != new.allowsExternalBinaryDataStorage
        case .preservesValueInHistoryOnDeletion:
            old.preservesValueInHistoryOnDeletion != new.preservesValueInHistoryOnDeletion
        case .isIndexedBySpotlight: old.isIndexedBySpotlight != new.isIndexedBySpotlight
        case .allowsCloudEncryption: old.allowsCloudEncryption != new.allowsCloudEncryption
        case .name, .kind, .declaringEntity, .destination, .inverse, .isToMany, .isOrdered,
            .minimumCount, .maximumCount, .deleteRule, .fetchRequest:
            false
        }
    }

    private func differs(
        _ aspect: PropertyAspect, _ old: RelationshipDescription, _ new: RelationshipDescription
    ) -> Bool {
        switch aspect {
        case .isOptional: old.isOptional != new.isOptional
        case .isTransient: old.isTransient != new.isTransient
        case .isIndexed: old.isIndexed != new.isIndexed
        case .isSyncable: old.isSyncable != new.isSyncable
        case .versionHashModifier: old.versionHashModifier != new.versionHashModifier
        case .renamingIdentifier: old.renamingIdentifier != new.renamingIdentifier
        case .userInfo: old.userInfo != new.userInfo
        case .destination: hasDifferentDestination(old, new)
        case .inverse: hasOtherInverse(old, new)
        case .isToMany: old.isToMany != new.isToMany
        case .isOrdered: old.isOrdered != new.isOrdered
        case .minimumCount: old.minimumCount != new.minimumCount
        // If `isToMany` differs, a different maximum is only a consequence: a to-one has the maximum 1.
        case .maximumCount: old.maximumCount != new.maximumCount && old.isToMany == new.isToMany
        case .deleteRule: old.deleteRule != new.deleteRule
        case .name, .kind, .declaringEntity, .type, .defaultValue, .validationRules, .derivation,
            .compositeName, .valueTransformerName, .valueClassName, .usesScalarValueType,
            .allowsExternalBinaryDataStorage, .preservesValueInHistoryOnDeletion,
            .isIndexedBySpotlight, .allowsCloudEncryption, .fetchRequest:
            false
        }
    }

    private static func differs(
        _ aspect: PropertyAspect, _ old: FetchedPropertyDescription,
        _ new: FetchedPropertyDescription
    ) -> Bool {
        switch aspect {
        case .isOptional: old.isOptional != new.isOptional
        case .renamingIdentifier: old.renamingIdentifier != new.renamingIdentifier
        case .userInfo: old.userInfo != new.userInfo
        case .fetchRequest: old.template != new.template
        default: false
        }
    }

    /// Whether the destination is a different entity, and not the same entity renamed. An entity that has
    /// taken over the name of a removed one counts as different.
    private func hasDifferentDestination(
        _ old: RelationshipDescription, _ new: RelationshipDescription
    ) -> Bool {
        guard let matcher = entities?.matcher else { return old.destination != new.destination }
        return matcher.newNames[old.destination] != new.destination
    }

    /// Whether the inverse is a different relationship, and not the same relationship renamed.
    private func hasOtherInverse(
        _ old: RelationshipDescription, _ new: RelationshipDescription
    ) -> Bool {
        guard let before = old.inverse, let after = new.inverse else {
            return old.inverse != new.inverse
        }
        guard let source = entities?.old.entity(named: old.destination),
            let target = entities?.new.entity(named: new.destination)
        else { return before != after }
        // A different property may have taken over the name of the old inverse.
        let matcher = RenameMatcher(old: source.matchingParts, new: target.matchingParts)
        return matcher.oldNames[after] != before
    }
}
