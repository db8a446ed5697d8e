/// The change of one property of an entity between two versions of a model.
package struct PropertyChange: Sendable, Hashable {
    /// The property in one of the two versions of the model.
    package struct Side: Sendable, Hashable {
        /// The name of the entity that declares the property: the changed entity or a superentity of it.
        package var declaringEntity: String
        /// The declaration of the property.
        package var property: PropertyDescription
    }

    /// The property in the old model, or `nil` if the property was added.
    package var old: Side?
    /// The property in the new model, or `nil` if the property was removed.
    package var new: Side?
    /// The settings that differ, in the order of `PropertyAspect.allCases`. Empty for a property that was
    /// added or removed.
    package var aspects: [PropertyAspect]
    /// Whether the entity inherits the change from its superentity.
    package var isInherited = false

    /// The name in the new model, or in the old one if the property was removed.
    package var name: String { (new ?? old)?.property.name ?? "" }

    /// The old name, if a stored property was renamed.
    var formerName: String? {
        guard let old = old?.property, let new = new?.property, old.isPersistent, new.isPersistent,
            old.name != new.name
        else { return nil }
        return old.name
    }
}

/// A setting of a property that may differ between two versions of a model.
package enum PropertyAspect: Sendable, Hashable, CaseIterable {
    // MARK: Any property

    /// The name differs. A renaming identifier indicates that it is the same property.
    case name
    /// The kind of property differs. For example, an attribute became a relationship. No other aspect of
    /// the property is compared.
    case kind
    /// A different entity of the hierarchy declares the property.
    case declaringEntity
    /// The property became optional or required. For an attribute or a relationship, this changes the version
    /// hash.
    case isOptional
    /// The property became transient, so that stores no longer save it, or became persistent. This changes
    /// the version hash.
    case isTransient
    /// The index in the older form was added or removed. See ``EntityChange/indexes`` for indexes in the
    /// newer form.
    case isIndexed
    /// A mirroring store now includes the property, or no longer does. No engine of Cairn uses this setting.
    case isSyncable
    /// The text that is added to the version hash differs. This changes the version hash.
    case versionHashModifier
    /// Only the renaming identifier differs. For a renamed property, ``name`` is reported instead.
    case renamingIdentifier
    /// The additional information from the author differs. Stores are not affected.
    case userInfo

    // MARK: Attributes

    /// The type of the values differs. This changes the version hash.
    case type
    /// The initial value in a new object differs. Existing objects keep their values.
    case defaultValue
    /// The rules that are checked before each save differ, or their order does.
    case validationRules
    /// The attribute became derived, is no longer derived, or is computed from another expression or with
    /// another filter.
    case derivation
    /// The elements of a composite attribute are described by a composite with a different name. See
    /// ``ModelChanges/composites`` for changes of the composites themselves.
    case compositeName
    /// The transformer of a transformable attribute differs. Existing values were saved by the old one.
    case valueTransformerName
    /// The class that generated accessors return differs. Cairn does not use this setting.
    case valueClassName
    /// Generated accessors now use the scalar type, or no longer do. Cairn does not use this setting.
    case usesScalarValueType
    /// Large values may now be saved in files next to the store, or no longer may. This changes the version
    /// hash.
    case allowsExternalBinaryDataStorage
    /// The persistent history now keeps the value of a deleted object, or no longer does. This changes the
    /// version hash.
    case preservesValueInHistoryOnDeletion
    /// Core Data now lets Spotlight index the values, or no longer does. Cairn does not use this setting.
    case isIndexedBySpotlight
    /// A mirroring store now encrypts the value on the server, or no longer does. Cairn does not use this
    /// setting.
    case allowsCloudEncryption

    // MARK: Relationships

    /// The destination is a different entity. Renaming the destination does not count as a difference.
    case destination
    /// The inverse is a different relationship. Renaming the inverse does not count as a difference.
    case inverse
    /// The relationship became a to-many or a to-one. This changes the version hash if the maximum number of
    /// members differs, as it normally does.
    case isToMany
    /// The members became ordered or are no longer ordered. This changes the version hash.
    case isOrdered
    /// The minimum number of members differs. This changes the version hash.
    case minimumCount
    /// The maximum number of members differs. Not reported together with ``isToMany``, which implies it. This
    /// changes the version hash.
    case maximumCount
    /// The effect on the destinations when the object is deleted differs. Stores are not affected.
    case deleteRule

    // MARK: Fetched properties

    /// The fetch request that produces the property's value differs. Stores are not affected.
    case fetchRequest
}

extension PropertyChange: CustomStringConvertible {
    /// A clause without a full stop, such as `attribute title was renamed to name`.
    package var description: String {
        guard let side = new ?? old else { return "" }
        let kind = side.property.kindWord
        guard let old, let new else {
            return "\(kind) \(name) was \(self.old == nil ? "added" : "removed")"
        }
        if aspects.contains(.kind) {
            let renamed = old.property.name == new.property.name ? "" : " under the name \(name)"
            return "\(old.property.kindWord) \(old.property.name) became "
                + "\(new.property.kindWord.withArticle)\(renamed)"
        }
        let phrases = aspects.map { phrase($0, old, new) }
        return "\(kind) \(old.property.name) \(ModelChanges.list(phrases))"
    }

    private func phrase(_ aspect: PropertyAspect, _ old: Side, _ new: Side) -> String {
        switch aspect {
        case .name: return "was renamed to \(new.property.name)"
        case .kind: return "became \(new.property.kindWord.withArticle)"
        case .declaringEntity:
            return "moved from \(old.declaringEntity) to \(new.declaringEntity)"
        default: break
        }
        switch (old.property, new.property) {
        case (.attribute(let before), .attribute(let after)):
            return aspect.phrase(before, after)
        case (.relationship(let before), .relationship(let after)):
            return aspect.phrase(before, after)
        case (.fetchedProperty(let before), .fetchedProperty(let after)):
            switch aspect {
            case .isOptional: return ModelChanges.flag(after.isOptional, "optional")
            case .renamingIdentifier:
                return ModelChanges.text(
                    "renaming identifier", before.renamingIdentifier, after.renamingIdentifier)
            case .userInfo: return "has other user info"
            default: return "has another fetch request"
            }
        default: return "became \(new.property.kindWord.withArticle)"
        }
    }
}

extension PropertyDescription {
    /// The kind of property in words, for use in a sentence.
    var kindWord: String {
        switch self {
        case .attribute: "attribute"
        case .relationship: "relationship"
        case .fetchedProperty: "fetched property"
        }
    }
}

extension PropertyAspect {
    /// Returns a phrase that follows the attribute's name, such as `is now required`.
    fileprivate func phrase(_ old: AttributeDescription, _ new: AttributeDescription) -> String {
        switch self {
        case .isOptional: new.isOptional ? "is now optional" : "is now required"
        case .isTransient: new.isTransient ? "is now transient" : "is now stored"
        case .isIndexed: ModelChanges.flag(new.isIndexed, "indexed")
        case .isSyncable: ModelChanges.flag(new.isSyncable, "synchronised")
        case .versionHashModifier:
            ModelChanges.text(
                "hash modifier", old.versionHashModifier, new.versionHashModifier)
        case .renamingIdentifier:
            ModelChanges.text(
                "renaming identifier", old.renamingIdentifier, new.renamingIdentifier)
        case .userInfo: "has other user info"
        case .type: "changed its type from \(old.type) to \(new.type)"
        case .defaultValue: defaultValue(old.defaultValue, new.defaultValue)
        case .validationRules: "has other validation rules"
        case .derivation:
            ModelChanges.text(
                "derivation", old.derivation?.expression, new.derivation?.expression)
        case .compositeName: ModelChanges.text("composite", old.compositeName, new.compositeName)
        case .valueTransformerName:
            ModelChanges.text("transformer", old.valueTransformerName, new.valueTransformerName)
        case .valueClassName:
            ModelChanges.text("value class", old.valueClassName, new.valueClassName)
        case .usesScalarValueType: ModelChanges.flag(new.usesScalarValueType, "scalar in code")
        case .allowsExternalBinaryDataStorage:
            new.allowsExternalBinaryDataStorage
                ? "may now be stored in files next to the store"
                : "may no longer be stored in files next to the store"
        case .preservesValueInHistoryOnDeletion:
            ModelChanges.flag(
                new.preservesValueInHistoryOnDeletion, "kept in the history of deleted objects")
        case .isIndexedBySpotlight: ModelChanges.flag(new.isIndexedBySpotlight, "in Spotlight")
        case .allowsCloudEncryption:
            ModelChanges.flag(new.allowsCloudEncryption, "encrypted on the server")
        case .name, .kind, .declaringEntity, .destination, .inverse, .isToMany, .isOrdered,
            .minimumCount, .maximumCount, .deleteRule, .fetchRequest:
            "changed"
        }
    }

    private func defaultValue(_ old: Value, _ new: Value) -> String {
        func text(_ value: Value) -> String? {
            switch value {
            case .null: nil
            case .string(let text): "“\(text)”"
            default: value.description
            }
        }
        return ModelChanges.text("default value", text(old), text(new))
    }

    /// Returns a phrase that follows the relationship's name, such as `is now to-many`.
    fileprivate func phrase(
        _ old: RelationshipDescription, _ new: RelationshipDescription
    ) -> String {
        switch self {
        case .isOptional: new.isOptional ? "is now optional" : "is now required"
        case .isTransient: new.isTransient ? "is now transient" : "is now stored"
        case .isIndexed: ModelChanges.flag(new.isIndexed, "indexed")
        case .isSyncable: ModelChanges.flag(new.isSyncable, "synchronised")
        case .versionHashModifier:
            ModelChanges.text(
                "hash modifier", old.versionHashModifier, new.versionHashModifier)
        case .renamingIdentifier:
            ModelChanges.text(
                "renaming identifier", old.renamingIdentifier, new.renamingIdentifier)
        case .userInfo: "has other user info"
        case .destination: "leads to \(new.destination) instead of \(old.destination)"
        case .inverse: ModelChanges.text("inverse", old.inverse, new.inverse)
        case .isToMany: new.isToMany ? "is now to-many" : "is now to-one"
        case .isOrdered: ModelChanges.flag(new.isOrdered, "ordered")
        case .minimumCount:
            ModelChanges.text("minimum", bound(old.minimumCount), bound(new.minimumCount))
        case .maximumCount:
            ModelChanges.text("maximum", bound(old.maximumCount), bound(new.maximumCount))
        case .deleteRule: "has the delete rule \(new.deleteRule) instead of \(old.deleteRule)"
        case .name, .kind, .declaringEntity, .type, .defaultValue, .validationRules, .derivation,
            .compositeName, .valueTransformerName, .valueClassName, .usesScalarValueType,
            .allowsExternalBinaryDataStorage, .preservesValueInHistoryOnDeletion,
            .isIndexedBySpotlight, .allowsCloudEncryption, .fetchRequest:
            "changed"
        }
    }

    /// Returns a count as text, or `nil` if it is 0, which means that there is no bound.
    private func bound(_ count: Int) -> String? { count == 0 ? nil : "\(count)" }
}
