/// Describes differences between two versions of an attribute in words.
enum AttributeChangeText {
    /// Returns a phrase that follows the attribute's name, such as `is now required`.
    static func phrase(
        _ aspect: PropertyAspect, _ old: AttributeDescription, _ new: AttributeDescription
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
        case .type: "changed its type from \(old.type) to \(new.type)"
        case .defaultValue: defaultValue(old.defaultValue, new.defaultValue)
        case .validationRules: "has other validation rules"
        case .derivation:
            ChangeText.text(
                "derivation", old.derivation?.expression, new.derivation?.expression)
        case .compositeName: ChangeText.text("composite", old.compositeName, new.compositeName)
        case .valueTransformerName:
            ChangeText.text("transformer", old.valueTransformerName, new.valueTransformerName)
        case .valueClassName:
            ChangeText.text("value class", old.valueClassName, new.valueClassName)
        case .usesScalarValueType: ChangeText.flag(new.usesScalarValueType, "scalar in code")
        case .allowsExternalBinaryDataStorage:
            new.allowsExternalBinaryDataStorage
                ? "may now be stored in files next to the store"
                : "may no longer be stored in files next to the store"
        case .preservesValueInHistoryOnDeletion:
            ChangeText.flag(
                new.preservesValueInHistoryOnDeletion, "kept in the history of deleted objects")
        case .isIndexedBySpotlight: ChangeText.flag(new.isIndexedBySpotlight, "in Spotlight")
        case .allowsCloudEncryption:
            ChangeText.flag(new.allowsCloudEncryption, "encrypted on the server")
        case .name, .kind, .declaringEntity, .destination, .inverse, .isToMany, .isOrdered,
            .minimumCount, .maximumCount, .deleteRule, .fetchRequest:
            "changed"
        }
    }

    private static func defaultValue(_ old: Value, _ new: Value) -> String {
        func text(_ value: Value) -> String? {
            switch value {
            case .null: nil
            case .string(let text): "“\(text)”"
            default: value.description
            }
        }
        return ChangeText.text("default value", text(old), text(new))
    }
}
