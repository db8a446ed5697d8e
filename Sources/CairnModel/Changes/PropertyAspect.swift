/// A setting of a property that may differ between two versions of a model.
public enum PropertyAspect: Sendable, Hashable, CaseIterable {
    // MARK: Any property

    /// The name differs. A renaming identifier indicates that it is the same property.
    case name
    /// The kind of property differs. For example, an attribute became a relationship. No other aspect of
    /// the property is compared.
    case kind
    /// A different entity of the hierarchy declares the property.
    case declaringEntity
    case isOptional
    case isTransient
    case isIndexed
    case isSyncable
    case versionHashModifier
    /// Only the renaming identifier differs. For a renamed property, ``name`` is reported instead.
    case renamingIdentifier
    case userInfo

    // MARK: Attributes

    case type
    case defaultValue
    case validationRules
    case derivation
    case compositeName
    case valueTransformerName
    case valueClassName
    case usesScalarValueType
    case allowsExternalBinaryDataStorage
    case preservesValueInHistoryOnDeletion
    case isIndexedBySpotlight
    case allowsCloudEncryption

    // MARK: Relationships

    /// The destination is a different entity. Renaming the destination does not count as a difference.
    case destination
    /// The inverse is a different relationship. Renaming the inverse does not count as a difference.
    case inverse
    case isToMany
    case isOrdered
    case minimumCount
    case maximumCount
    case deleteRule

    // MARK: Fetched properties

    case fetchRequest
}
