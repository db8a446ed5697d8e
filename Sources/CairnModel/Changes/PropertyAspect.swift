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
