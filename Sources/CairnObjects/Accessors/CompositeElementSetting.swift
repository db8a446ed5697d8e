import CairnModel

/// The declaration of a composite's element in its structure.
@usableFromInline package struct CompositeElementSetting: Sendable {
    package let name: String
    /// The type of the property. It is an optional type if the element may be `nil`.
    @usableFromInline package let type: any ManagedProperty.Type
    package let options: [AttributeOption]
    @usableFromInline package let defaultValue: Value
    package let originalName: String?
    @usableFromInline package let hashModifier: String?
}
