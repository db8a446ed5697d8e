/// A setting of a property that may differ between two versions of a model.
public enum PropertyAspect: Sendable, Hashable, CaseIterable {
    // MARK: Any property

    /// The property has another name; a renaming identifier says that it is the same one.
    case name
    /// An attribute became a relationship, or any other change of kind. No other aspect of the
    /// property is then compared.
    case kind
    /// Another entity of the hierarchy declares the property.
    case declaringEntity
    case isOptional
    case isTransient
    case isIndexed
    case isSyncable
    case versionHashModifier
    /// Only the renaming identifier differs. A renamed property has ``name`` instead.
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

    /// The relationship leads to another entity. A destination that was only renamed is the same.
    case destination
    /// The inverse is another relationship. An inverse that was only renamed is the same.
    case inverse
    case isToMany
    case isOrdered
    case minimumCount
    case maximumCount
    case deleteRule

    // MARK: Fetched properties

    case fetchRequest
}
