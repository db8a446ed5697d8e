/// Describes differences between two versions of a relationship in words.
enum RelationshipChangeText {
    /// Returns a phrase that follows the relationship's name, such as `is now to-many`.
    static func phrase(
        _ aspect: PropertyAspect, _ old: RelationshipDescription, _ new: RelationshipDescription
    ) -> String {
        switch aspect {
        case .isOptional: new.isOptional ? "is now optional" : "is now required"
        case .isTransient: new.isTransient ? "is now transient" : "is now stored"
        case .isIndexed: ChangeText.flag(new.isIndexed, "indexed")
        case .isSyncable: ChangeText.flag(new.isSyncable, "synchronised")
        case .versionHashModifier:
            ChangeText.text(
                "hash modifier", old.versionHashModifier, new.versionHashModifier)
        case .renamingIdentifier:
            ChangeText.text(
                "renaming identifier", old.renamingIdentifier, new.renamingIdentifier)
        case .userInfo: "has other user info"
        case .destination: "leads to \(new.destination) instead of \(old.destination)"
        case .inverse: ChangeText.text("inverse", old.inverse, new.inverse)
        case .isToMany: new.isToMany ? "is now to-many" : "is now to-one"
        case .isOrdered: ChangeText.flag(new.isOrdered, "ordered")
        case .minimumCount:
            ChangeText.text("minimum", bound(old.minimumCount), bound(new.minimumCount))
        case .maximumCount:
            ChangeText.text("maximum", bound(old.maximumCount), bound(new.maximumCount))
        case .deleteRule: "has the delete rule \(new.deleteRule) instead of \(old.deleteRule)"
        case .name, .kind, .declaringEntity, .type, .defaultValue, .validationRules, .derivation,
            .compositeName, .valueTransformerName, .valueClassName, .usesScalarValueType,
            .allowsExternalBinaryDataStorage, .preservesValueInHistoryOnDeletion,
            .isIndexedBySpotlight, .allowsCloudEncryption, .fetchRequest:
            "changed"
        }
    }

    /// Returns a count as text, or `nil` if it is 0, which means that there is no bound.
    private static func bound(_ count: Int) -> String? { count == 0 ? nil : "\(count)" }
}
